# Runs a plan with 4 joiners on Nomad. Written from Nomad's documentation and not tested on a cluster:
# tests only parse it.
#
#     nomad job run -var image=registry.example.com/rehearse:0.1.0 -var plan=plan.yaml \
#       -var token=$(openssl rand -hex 24) rehearse.nomad.hcl
#
# The exit code of the task `leader` is the result of the run: 0 if all thresholds passed, 99 if one
# failed, 1 if shards were lost or the run could not start. Stop the job with `nomad job stop rehearse`.

variable "image" {
  type        = string
  description = "Container image of rehearse"
}

variable "plan" {
  type        = string
  description = "Path of the plan"
}

variable "joiners" {
  type        = number
  default     = 4
  description = "Number of joiners"
}

variable "token" {
  type        = string
  description = "Token with which leader and joiners log in to the bus"
}

job "rehearse" {
  type = "batch"

  group "bus" {
    network {
      port "nats" {
        to = 4222
      }
    }

    service {
      name     = "rehearse-bus"
      port     = "nats"
      provider = "nomad"
    }

    task "nats" {
      driver = "docker"

      config {
        image   = "nats:2.11.4-alpine"
        command = "nats-server"
        args    = ["--config", "/local/nats.conf"]
        ports   = ["nats"]
        volumes = ["local/nats.conf:/local/nats.conf:ro"]
      }

      template {
        destination = "local/nats.conf"
        data        = "port: 4222\nauthorization: { token: \"${var.token}\" }\n"
      }

      resources {
        cpu    = 250
        memory = 128
      }
    }
  }

  group "leader" {
    # A second attempt would be another run.
    restart {
      attempts = 0
      mode     = "fail"
    }

    reschedule {
      attempts  = 0
      unlimited = false
    }

    task "leader" {
      driver = "docker"

      config {
        image   = var.image
        args    = ["run", "/local/plan.yaml", "--fleet", "${REHEARSE_FLEET}", "--shards", "${var.joiners}", "--join-timeout", "10m"]
        volumes = ["local/plan.yaml:/local/plan.yaml:ro"]
      }

      template {
        destination = "local/plan.yaml"
        data        = file(var.plan)
        # The plan contains `$${…}`, but nothing that Nomad must replace.
        left_delimiter  = "[[nomad"
        right_delimiter = "nomad]]"
      }

      template {
        destination = "secrets/bus.env"
        env         = true
        data        = <<-EOT
          {{ range nomadService "rehearse-bus" }}REHEARSE_FLEET=nats://{{ .Address }}:{{ .Port }}/run{{ end }}
          NATS_TOKEN=${var.token}
        EOT
      }

      resources {
        cpu    = 500
        memory = 512
      }
    }
  }

  group "joiners" {
    count = var.joiners

    restart {
      attempts = 0
      mode     = "fail"
    }

    reschedule {
      attempts  = 0
      unlimited = false
    }

    # Generators on one machine compete for its cores and its outgoing ports.
    spread {
      attribute = "${node.unique.id}"
    }

    task "joiner" {
      driver = "docker"

      config {
        image = var.image
        # NOMAD_ALLOC_INDEX selects the shard.
        args = ["join", "--join-timeout", "10m"]
      }

      template {
        destination = "secrets/bus.env"
        env         = true
        data        = <<-EOT
          {{ range nomadService "rehearse-bus" }}REHEARSE_FLEET=nats://{{ .Address }}:{{ .Port }}/run{{ end }}
          NATS_TOKEN=${var.token}
        EOT
      }

      resources {
        cpu    = 1000
        memory = 512
      }
    }
  }
}
