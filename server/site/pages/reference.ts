import { html } from '../parts/html.ts'
import { page } from '../parts/shell.ts'

/** Every operation of the API, to read and to try against this hub. Swagger UI brings its own main landmark. */
export function referencePage(): Promise<string> {
  return page({
    path: '/docs',
    title: 'API reference',
    description: 'Every operation of the partner API, to read and to try against this hub.',
    styles: ['swagger-ui.css', 'reference.css'],
    scripts: ['swagger-ui-bundle.js', 'reference.js'],
    body: html`<div class="sheet reference" id="content">
  <p class="eyebrow">Reference</p>
  <h1>Partner API</h1>
  <p class="lead">Every operation can be tried here, against this hub. Run <em>Get access token</em> first: its token is then used for the others. Or press <em>Authorize</em> and paste one. A payment callback is signed: its examples are made with a secret that is not yours, and <a href="/docs/checksum">the checksum calculator</a> signs them with the one that is.</p>
  <div id="reference"></div>
  <noscript><p>This page needs JavaScript. <a href="/openapi.json">The OpenAPI file</a> says the same to any tool that reads it.</p></noscript>
</div>`,
  })
}
