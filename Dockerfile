# syntax=docker/dockerfile:1

# The very release that the tests run on, for all platforms, by its digest: a tag can be moved.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE_IMAGE} AS build
WORKDIR /app
# The dependencies are a layer of their own: it is rebuilt when the lock changes, not when the code does.
COPY package.json package-lock.json ./
# Install scripts run here too (the embedded PostgreSQL needs its own); `prepare`, which builds, has nothing to build yet.
RUN npm ci --no-audit --no-fund --ignore-scripts \
 && npm rebuild --foreground-scripts
COPY tsconfig.json tsconfig.build.json nest-cli.json ./
COPY bin bin
COPY build build
COPY config config
COPY src src
RUN npm run build

FROM build AS full-files
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && find node_modules -type f -regex '.*\.\(map\|d\.[cm]?ts\)' -delete

# Without what only the demo and the embedded PostgreSQL need: a production database has a server of its own.
FROM build AS production-files
RUN rm -r dist/sandbox dist/cli/demo \
 && npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund \
 && find node_modules -type f -regex '.*\.\(map\|d\.[cm]?ts\)' -delete

FROM ${NODE_IMAGE} AS base
# docker-bake.hcl passes both.
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="store-sync" \
      org.opencontainers.image.description="Keeps a merchant's store and a product-catalog enrichment service in step" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE README.md ./
COPY bin bin
COPY config config
# What is kept goes to dataDir (./data unless configured otherwise): mount a volume there. The files of a store's export, as large
# as the store, pass through /tmp. The rest of the file system may be read-only.
RUN mkdir data && chown 1000:1000 data
VOLUME /app/data
# By number, so that an orchestrator can see that it is not root. Another user does as well; only the embedded PostgreSQL wants one
# that /etc/passwd knows.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
# A check that takes PORT into account; with another port in the configuration file, override it.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# node itself is process 1 and gets the signals; run with --init where the embedded PostgreSQL's processes need a reaper.
ENTRYPOINT ["node", "bin/store-sync.js"]
CMD ["start"]

# `docker build --target full .`: with the demo, the sandbox and the embedded PostgreSQL.
FROM base AS full
COPY --from=full-files /app/node_modules node_modules
COPY --from=full-files /app/dist dist

# The default image.
FROM base AS production
COPY --from=production-files /app/node_modules node_modules
COPY --from=production-files /app/dist dist
