# The compiled binary on a small base, as nobody in particular. BASE needs the C library alone: an image
# without a shell serves too. dist/rehearse-amd64 and -arm64 are what `deno task compile` makes.
ARG BASE=debian:12-slim
FROM ${BASE}
ARG TARGETARCH
COPY dist/rehearse-${TARGETARCH} /usr/local/bin/rehearse
USER 65532:65532
WORKDIR /plans
ENTRYPOINT ["/usr/local/bin/rehearse"]
