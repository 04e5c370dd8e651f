export { openEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';
export { removeEmbeddedPostgres } from './location.js';
