# Runs a plan with 4 joiners on Nomad. Written from Nomad's documentation: Nomad's parser accepts it, but
# it was not run on a cluster.
#
#     nomad job run -var image=registry.example.com/rehearse:0.1.0 -var plan=$PWD/plan.yaml \
#       -var token=$(openssl rand -hex 24) rehearse.nomad.hcl
#
# The exit code of the task `leader` is the result of the run: 0 if all thresholds passed, 99 if one
# failed, 1 if shards were lost or the run could not start. To end the run early, with its summary:
# `nomad job stop rehearse`.

variable "image" {
  type        = string
  description = "Container image of rehearse"
}

variable "plan" {
  type        = string
  description = "Path of the plan: absolute, or relative to this file"
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

    # The bus starts before the leader and ends with it.
    task "bus" {
      driver = "docker"

      lifecycle {
        hook    = "prestart"
        sidecar = true
      }

      config {
        image   = "nats:2.11.4-alpine"
        command = "nats-server"
        args    = ["--config", "/secrets/nats.conf"]
        ports   = ["nats"]
      }

      template {
        destination = "secrets/nats.conf"
        data        = "port: 4222\nauthorization: { token: \"${var.token}\" }\n"
      }

      resources {
        cpu    = 250
        memory = 128
      }
    }

    task "leader" {
      driver = "docker"

      # Time to end the run and print the summary.
      kill_timeout = "60s"

      config {
        image = var.image
        args = [
          "run", "/local/plan.yaml", "--fleet", "nats://${NOMAD_ADDR_nats}/run",
          "--shards", "${var.joiners}", "--join-timeout", "10m",
        ]
      }

      env {
        NATS_TOKEN = var.token
      }

      template {
        destination = "local/plan.yaml"
        data        = file(var.plan)
        # The plan may contain braces, but nothing that Nomad must replace.
        left_delimiter  = "[[nomad"
        right_delimiter = "nomad]]"
      }

      resources {
        cpu    = 500
        memory = 512
      }
    }
  }

  group "joiners" {
    count = var.joiners

    # A joiner that starts before the bus has no address. A joiner that ends during the run is refused
    # when it starts again.
    restart {
      attempts = 20
      interval = "10m"
      delay    = "5s"
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
        # A later change of the address must not restart the joiner.
        change_mode = "noop"
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
