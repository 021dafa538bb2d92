# Image of the service: docker build -t compliance-api . && docker run -p 127.0.0.1:3000:3000 -v compliance:/data compliance-api
ARG NODE=26

FROM node:${NODE}-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# npm ci compares development dependencies and the workspace in docs/ with the lock file, so they are removed first.
RUN npm pkg delete devDependencies workspaces && npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:${NODE}-slim AS builds
WORKDIR /app
COPY package.json package-lock.json tsconfig.json LICENSE ./
COPY app app
COPY clients clients
COPY docs/clients docs/clients
# The builds read facts of the API, such as the columns of imports, and its document.
COPY database database
COPY entities entities
COPY procedures procedures
COPY server server
# The builds need only the development dependencies of their own workspaces.
RUN npm pkg delete devDependencies workspaces && \
  npm pkg set 'workspaces[0]=app' 'workspaces[1]=clients/typescript' 'workspaces[2]=docs/clients' && \
  npm ci --ignore-scripts --no-audit --no-fund
RUN node app/build.ts && node docs/clients/packages.ts

FROM node:${NODE}-slim
ENV NODE_ENV=production HOST=:: DATA_DIR=/data TMPDIR=/data MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=packages /app/package.json ./
COPY --from=packages /app/node_modules node_modules
COPY cli cli
COPY database database
COPY docs docs
COPY entities entities
COPY migrations migrations
COPY procedures procedures
COPY server server
COPY --from=builds /app/app/dist app/dist
COPY --from=builds /app/dist/packages dist/packages
# Platforms that give each container a user of its own put it in group 0.
RUN ln -s /app/cli/main.js /usr/local/bin/compliance && install -d -o 1000 -g 0 -m 770 /data
VOLUME /data
USER 1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node is the first process. On SIGTERM it finishes requests in flight and exits within 10 seconds.
CMD ["node", "--min-semi-space-size=16", "--max-semi-space-size=16", "server/main.js"]
