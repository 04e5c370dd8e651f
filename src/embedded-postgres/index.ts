export { openEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';
export { hasDatabase, removeEmbeddedPostgres } from './cluster.js';
