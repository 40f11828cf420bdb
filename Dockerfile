# The compiled binary on a small base image, run by an unprivileged user. BASE needs only glibc, so an
# image without a shell works too. Build (BuildKit sets TARGETARCH to amd64 or arm64):
#   deno task compile x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
#   mv dist/rehearse-*-x86_64-unknown-linux-gnu dist/rehearse-amd64
#   mv dist/rehearse-*-aarch64-unknown-linux-gnu dist/rehearse-arm64
#   docker build -t rehearse .
# Run. `-u` lets rehearse write reports to the mounted folder:
#   docker run --rm -u "$(id -u)" -v "$PWD:/plans" rehearse run plan.yaml --html report.html
ARG BASE=debian:12-slim
FROM ${BASE}
ARG TARGETARCH
COPY dist/rehearse-${TARGETARCH} /usr/local/bin/rehearse
USER 65532:65532
WORKDIR /plans
ENTRYPOINT ["/usr/local/bin/rehearse"]
