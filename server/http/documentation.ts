import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { HttpEnv } from './env.ts'

const ASSETS = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
} as const

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Soundbox Hub: partner API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script>SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true })</script>
</html>
`

/** Serves the interface's description and a reference page that needs nothing from outside. */
export function documentationRoutes(app: OpenAPIHono<HttpEnv>, describe: () => object) {
  let description: string | undefined
  app.get('/openapi.json', (c) => {
    // Building it takes milliseconds: once is enough.
    description ??= JSON.stringify(describe())
    return c.body(description, 200, { 'Content-Type': 'application/json' })
  })
  app.get('/docs', (c) => c.html(PAGE))
  app.get('/', (c) => c.redirect('/docs'))
  for (const [name, type] of Object.entries(ASSETS)) {
    // Read at the first request and kept: megabytes read anew would hold up the payments behind them.
    let bytes: Uint8Array<ArrayBuffer> | undefined
    app.get(`/docs/${name}`, (c) => {
      bytes ??= new Uint8Array(readAsset(name))
      return c.body(bytes, 200, { 'Content-Type': type, 'Cache-Control': 'max-age=86400' })
    })
  }
}

function readAsset(name: string): Buffer {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  return readFileSync(join(folder, name))
}
