import { callsOf, callTemplates } from '../parts/calls.ts'
import { html } from '../parts/html.ts'
import { page } from '../parts/shell.ts'

/** The reference of all operations by Swagger UI, which has its own main landmark. */
export async function referencePage(document: object): Promise<string> {
  const templates = callTemplates(await callsOf(document))
  return page({
    path: '/docs',
    title: 'API reference',
    description: 'Every operation of the partner API, to read and to try against this hub.',
    styles: ['swagger-ui.css', 'code.css', 'reference.css'],
    scripts: ['swagger-ui-bundle.js', 'reference.js'],
    body: html`<div class="sheet reference" id="content">
  <p class="eyebrow">Reference</p>
  <h1>Partner API</h1>
  <p class="lead"><label for="search">Search the operations</label> <input type="search" id="search" placeholder="payment, webhook, 40014 …" autocomplete="off" spellcheck="false"> <span id="found" role="status"></span></p>
  <div id="reference"></div>
  <h2>Try it, and call it from a program</h2>
  <p>You can try every operation here, against this hub. Run <em>Get access token</em> first: the other operations then use its token. Or press <em>Authorize</em> and paste one. The examples of the payment callback are signed with a secret that is not yours; <a href="/docs/checksum">the checksum calculator</a> signs them with yours.</p>
  <p>In the samples, <code>HUB</code> is the address of this hub, <code>TOKEN</code> an access token, and <code>hub</code> the client of <code>clients/typescript</code> in the hub's repository; <a href="/docs/quickstart">the quickstart</a> makes one.</p>

  ${templates}
  <noscript><p>This page needs JavaScript. <a href="/openapi.json">The OpenAPI file</a> has the same content for other tools.</p></noscript>
</div>`,
  })
}
