import { cpSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// The last step of `npm run build`: the files of Swagger UI that the page /docs loads become files of this package. As a dependency,
// swagger-ui-dist would bring @scarf/scarf into every installation, whose install script reports it.

const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'LICENSE', 'NOTICE'];
const FOLDER = 'dist/openapi/swagger-ui';

const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
mkdirSync(FOLDER, { recursive: true });
for (const file of FILES) cpSync(join(source, file), join(FOLDER, file));
