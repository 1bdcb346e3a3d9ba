import { deliveryChecker } from '../parts/delivery-checker.ts'
import { html } from '../parts/html.ts'
import { page } from '../parts/shell.ts'

/** What makes a right delivery look wrong, and what to do instead. */
const MISTAKES = [
  [
    'The body is parsed, and written anew before it is verified',
    'Verify the bytes as they arrive: a framework must hand over the raw body.',
  ],
  ['The text of the secret is the key', 'Remove whsec_ and decode the base64: the key is 32 bytes.'],
  [
    'The secret is that of another webhook',
    'Each has its own, and hub listen has one for each client and machine.',
  ],
  [
    'Only the first of two signatures is compared',
    'For 24 hours after a rotation there are two, with a space between them. One must be right.',
  ],
  ['The clock of the server is wrong', 'Let NTP set it: more than five minutes away, a delivery is refused.'],
  [
    'A proxy drops or joins headers',
    'It must leave webhook-id, webhook-timestamp and webhook-signature as they are.',
  ],
] as const

/** A checker that finds out why a delivery does not verify, and the rule of the signature. */
export function webhooksPage(): Promise<string> {
  return page({
    path: '/docs/webhooks',
    title: 'Check a webhook',
    description: 'A checker that verifies a webhook delivery and says what is wrong with it, and the rule.',
    styles: ['calculator.css', 'webhooks.css'],
    scripts: ['webhooks.js'],
    body: html`<main class="sheet" id="content">
  <p class="eyebrow">Tool</p>
  <h1>Check a webhook</h1>
  <p class="lead">Paste a delivery as your server, your log or curl shows it, and the secret. The checker verifies it as a receiver does, and says what is wrong. It runs in this page only. Nothing that you paste leaves it.</p>

  <section aria-labelledby="checker">
    <h2 id="checker">Checker</h2>
    ${deliveryChecker()}
  </section>

  <section aria-labelledby="rule">
    <h2 id="rule">The rule</h2>
    <p>Deliveries follow Standard Webhooks 1.0.0, so its libraries verify them. By hand it is:</p>
    <ol class="rule">
      <li>Take <code>webhook-id</code>, <code>webhook-timestamp</code> and the body, byte by byte as they arrive, with a dot between them: <code>{id}.{timestamp}.{body}</code>.</li>
      <li>The key is the base64 behind <code>whsec_</code>, decoded. Compute the HMAC-SHA256, write it as base64, and put <code>v1,</code> before it.</li>
      <li>Compare it in constant time with each signature of <code>webhook-signature</code>; spaces separate them. One must be equal.</li>
      <li>Refuse a <code>webhook-timestamp</code> that is more than five minutes away from your clock. It has seconds since 1970, and each attempt has its own.</li>
      <li>Take each <code>webhook-id</code> once: a delivery may come again, also after your 204.</li>
    </ol>
    <p><a href="/docs/quickstart#receive">The quickstart</a> has a receiver in seven languages that does this.</p>
  </section>

  <section aria-labelledby="mistakes">
    <h2 id="mistakes">The usual mistakes</h2>
    <ul class="pairs">${MISTAKES.map(([mistake, instead]) => html`<li><span>${mistake}</span><span>${instead}</span></li>`)}</ul>
  </section>
</main>`,
  })
}
