# The compiled binary on a small base image, run by an unprivileged user. The base contains only glibc,
# libgcc and certificates, without a shell. Build (BuildKit sets TARGETARCH; with buildah, add
# `--platform linux/amd64`):
#   deno task build
#   deno task compile x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
#   docker build -t rehearse .
# Run. `-u` lets rehearse write reports to the mounted folder:
#   docker run --rm -u "$(id -u)" -v "$PWD:/plans" rehearse run plan.yaml --html report.html
ARG BASE=gcr.io/distroless/cc-debian12:nonroot
ARG TARGETARCH

# One stage for each value of TARGETARCH, with the name that `deno task compile` gives the binary.
FROM scratch AS amd64
COPY release/rehearse-*-x86_64-unknown-linux-gnu /rehearse
FROM scratch AS arm64
COPY release/rehearse-*-aarch64-unknown-linux-gnu /rehearse
FROM ${TARGETARCH} AS binary

FROM ${BASE}
COPY --from=binary --chmod=755 /rehearse /usr/local/bin/rehearse
COPY LICENSE release/THIRD-PARTY.md /licenses/
USER 65532:65532
WORKDIR /plans
ENTRYPOINT ["/usr/local/bin/rehearse"]
