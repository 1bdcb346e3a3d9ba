import { html } from '../parts/html.ts'
import { page } from '../parts/shell.ts'

/** The reference of all operations by Swagger UI, which has its own main landmark. */
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
  <p class="lead">You can try every operation here, against this hub. Run <em>Get access token</em> first: the other operations then use its token. Or press <em>Authorize</em> and paste one. The examples of the payment callback are signed with a secret that is not yours; <a href="/docs/checksum">the checksum calculator</a> signs them with yours.</p>
  <div id="reference"></div>
  <noscript><p>This page needs JavaScript. <a href="/openapi.json">The OpenAPI file</a> has the same content for other tools.</p></noscript>
</div>`,
  })
}
