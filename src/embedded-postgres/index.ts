export {
  openEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-postgres.js';
export { removeEmbeddedPostgres } from './location.js';
