import { AFTER_CALLBACK } from '../../http/errors/after-callback.ts'
import { calculator, EXAMPLE } from '../parts/calculator.ts'
import { codeBlock, codeTabs, readProcessors, readSamples } from '../parts/code.ts'
import { type Html, html } from '../parts/html.ts'
import { page } from '../parts/shell.ts'
import { valuesPanel } from '../parts/values.ts'
import { PREPARATION, PROOF, PROOF_REQUEST, REFRESH_REQUEST } from '../steps/proof.ts'
import { SAMPLE_PAYMENT, STEPS, type Step } from '../steps/requests.ts'
import { WEBHOOK_STEPS, watching, webhookSteps } from './quickstart-webhooks.ts'
import { refusalList } from './refusals.ts'

/** The steps from nothing to the first announced payment. */
export async function quickstartPage(): Promise<string> {
  const steps = await Promise.all(STEPS.map((step, i) => section(step, i + 1)))
  return page({
    path: '/docs/quickstart',
    title: 'Quickstart',
    description: 'From nothing to the first announced payment and the first webhook.',
    styles: ['code.css', 'calculator.css', 'quickstart.css'],
    scripts: ['quickstart.js'],
    body: html`<div class="columns">
${contents()}
<main id="content">
  <div class="intro">
    <p class="eyebrow">Quickstart</p>
    <h1>Your first announced payment</h1>
    <p class="lead">Five requests lead from a client id to a speaker that announces a payment; a sixth proves that it was heard. It takes about ten minutes, and the first webhook comes after three.</p>
    ${await preparation()}
  </div>
  ${valuesPanel()}
  <div class="steps">${steps}${proof()}${await webhookSteps()}${await goingLive()}</div>
</main>
</div>`,
  })
}

function contents(): Html {
  const entry = ({ name, title, number }: { name: string; title: string; number: number }) =>
    html`<li><a href="#${name}"><span class="contents-number">${number}</span>${title}</a></li>`
  const entries = STEPS.map(({ name, title }, i) => entry({ name, title, number: i + 1 }))
  return html`<nav class="contents" aria-label="On this page">
  <p>On this page</p>
  <ol>
    <li><a href="#before"><span class="contents-number">0</span>Before you start</a></li>
    ${entries}
    <li><a href="#proof"><span class="contents-number">✓</span>The proof</a></li>
    ${WEBHOOK_STEPS.map(entry)}
    <li><a href="#live"><span class="contents-number">→</span>Going live</a></li>
  </ol>
</nav>`
}

async function preparation(): Promise<Html> {
  return html`<section class="before" id="before" aria-labelledby="before-title">
  <h2 id="before-title">Before you start</h2>
  <p>Start a hub and a simulated speaker, each in its own terminal, and create a partner. You only need git and Node.js 20 or newer with npm. If somebody runs a hub for you, ask them for a client id, a client secret and a serial instead.</p>
  ${codeBlock('prepare', 'In the repository', 'sh', PREPARATION)}
  <p>In a hurry? <code>npm run demo</code> does all of this by itself, in one terminal.</p>
  <p>The requests below are whole commands for curl. In another language, first save the file that they share. TypeScript uses a client of the hub, which its first lines install:</p>
  ${codeTabs('hub-file', 'Language of the shared file', await readSamples('hub'))}
  ${watching()}
</section>`
}

async function section(step: Step, number: number): Promise<Html> {
  const { name, sample, title, path, text, status, answer, refusals, next } = step
  return html`<section class="step" id="${name}" aria-labelledby="${name}-title">
  <h2 id="${name}-title"><span class="step-number" aria-hidden="true">${number}</span>${title}</h2>
  <p class="endpoint"><span class="method">POST</span> <code>${path}</code></p>
  ${text}
  ${codeTabs(`${name}-request`, `Language of the request: ${title}`, await readSamples(sample))}
  ${codeBlock(`${name}-answer`, html`Answer <span class="status">${status}</span>`, 'json', JSON.stringify(answer, null, 2))}
  ${refusalList(refusals)}
  <p class="next">${next}</p>
  ${name === 'callback' ? checksumHelp() : ''}
</section>`
}

function checksumHelp(): Html {
  return html`<section class="checksum" id="checksum" aria-labelledby="checksum-title">
    <h3 id="checksum-title">Check your checksum</h3>
    <p>Sign the callback here and compare. The calculator runs in this page; nothing that you type leaves it. Read more on <a href="/docs/checksum">its own page</a>.</p>
    ${calculator({ secret: '', fields: { ...EXAMPLE.fields, ...SAMPLE_PAYMENT } })}
  </section>`
}

/** What a processor does after each answer to a callback. */
function afterCallback(): Html {
  const rows = AFTER_CALLBACK.map(
    ({ answer, error, meaning, next, todo }) => html`<tr data-next="${next}">
        <th scope="row">${inline(answer)}${error === undefined ? '' : html` <span class="error-name">${error}</span>`}</th>
        <td><p>${inline(todo)}</p><p class="meaning">${inline(meaning)}</p></td>
      </tr>`,
  )
  return html`<table class="repeats" id="after-callback">
    <caption>After a callback</caption>
    <thead><tr><th scope="col">Response</th><th scope="col">What to do</th></tr></thead>
    <tbody>${rows}</tbody>
  </table>
  <p>The request for a token goes by the same table. There, <code>42902</code> means that the secret is wrong, because the right one is never refused: stop and look.</p>`
}

/** A text whose words in backticks are code. */
function inline(text: string): Html[] {
  return text.split('`').map((part, i) => (i % 2 ? html`<code>${part}</code>` : html`${part}`))
}

function proof(): Html {
  return html`<section class="step" id="proof" aria-labelledby="proof-title">
  <h2 id="proof-title"><span class="step-number" aria-hidden="true">✓</span>The proof</h2>
  <p class="endpoint"><span class="method get">GET</span> <code>/api/v1/partner/payment/transactions/{ftCode}</code></p>
  <p>Not “sent”, but <code>played</code>. Every speaker of the store reports when it has received the announcement and when it has spoken it, and the hub stores the time of each stage. You get them by <code>ftCode</code>; a payment without one is found by a search for its <code>id</code> or its <code>traceTransfer</code>.</p>
  ${codeBlock('proof-request', 'curl', 'sh', PROOF_REQUEST)}
  ${codeBlock('proof-answer', html`Answer <span class="status">200</span>`, 'json', JSON.stringify(PROOF, null, 2))}
  <dl class="stages">
    <dt><code>queued</code> <code>sent</code> <code>received</code></dt><dd>On its way. An offline speaker gets it when it is back within two minutes.</dd>
    <dt><code>played</code></dt><dd>It was spoken, once.</dd>
    <dt><code>expired</code></dt><dd>It was too late to be spoken: the screen shows it as missed, with the sum.</dd>
    <dt><code>suppressed</code></dt><dd>The speaker is locked (<code>active: false</code>) and stays silent.</dd>
    <dt><code>failed</code></dt><dd>The speaker could not play it; <code>reason</code> says why.</dd>
  </dl>
  ${refusalList({ TRANSACTION_NOT_FOUND: html`No payment of yours has this <code>ftCode</code>. Was the response of step 5 a 200?` })}
</section>`
}

async function goingLive(): Promise<Html> {
  return html`<section class="step" id="live" aria-labelledby="live-title">
  <h2 id="live-title"><span class="step-number" aria-hidden="true">→</span>Going live</h2>
  <ul class="advice">
    <li><strong>Keep the secret on your server.</strong> It is the key of every callback: anyone who has it can report payments.</li>
    <li><strong>Change the secret without a gap.</strong> <code>npm run -s hub -- partner rotate-secret CLIENT_ID</code> prints a new one; give it to your server. The old one works until <code>oldSecretExpiresAt</code>, for logins and signatures. At most two work at a time: a second rotation ends the oldest at once.</li>
    <li><strong>Refresh before the hour is over</strong>, or on <code>40102</code>. The response contains a new refresh token: keep the newest. The old one works for 60 more seconds, or until the new one is used, so that you can retry after a lost response; using it later revokes them all.</li>
    <li><strong>Repeat a callback by its response</strong>, as the table shows, and keep the payment until then. A callback that is accepted is never rate-limited, and one that is repeated is counted and spoken once.</li>
    <li><strong>Log the <code>X-Request-Id</code></strong> of every response. It identifies the line in the hub’s log.</li>
  </ul>
  ${codeBlock('refresh-request', 'Refresh, in curl', 'sh', REFRESH_REQUEST)}
  ${afterCallback()}
  <h3>A processor that loses nothing</h3>
  <p>This program keeps each payment in a folder until the hub has it, and does what the table says: through dead tokens, limits, and a hub or a storage that is away. It uses the file that the samples share. In another language, write the same.</p>
  ${codeTabs('processor-program', 'Language of the processor', await readProcessors())}
  <p>All operations, fields and limits are in the <a href="/docs">API reference</a>; code generators read the <a href="/openapi.json">OpenAPI file</a>.</p>
</section>`
}
