import { codeBlock, codeTabs, readSamples } from '../parts/code.ts'
import { type Html, html } from '../parts/html.ts'
import type { Refusals } from '../steps/requests.ts'
import { CREATE_PATH, CREATE_REQUEST, CREATED, TEST_REQUEST, TRY, WATCH } from '../steps/webhooks.ts'
import { refusalList } from './refusals.ts'

/** The steps about webhooks, which follow the proof. */
export const WEBHOOK_STEPS = [
  { name: 'receive', number: 6, title: 'Receive webhooks' },
  { name: 'webhook', number: 7, title: 'Webhooks in production' },
] as const

const [RECEIVE, PRODUCTION] = WEBHOOK_STEPS

/** What `CREATE_REQUEST` is often refused for. */
export const CREATE_REFUSALS: Refusals = {
  WEBHOOK_URL_REFUSED: html`The address must be <code>https</code> and public; <code>details</code> says what is wrong with it. For an endpoint in the hub’s own network, ask its operator for <code>HUB_WEBHOOK_ALLOW</code>.`,
  WEBHOOK_LIMIT: 'You have 10 webhooks. Delete one first.',
  VALIDATION_FAILED: html`<code>details</code> names the field. Leave <code>types</code> out to get all events.`,
}

/** For the preparation: the first webhook comes while the reader goes on. */
export function watching(): Html {
  return html`<h3>The first webhook in three minutes</h3>
  <p>Webhooks need no endpoint and no tunnel while you try: <code>hub listen</code> sends them to a program on your machine. With these two commands running, each in its own terminal, the first one comes in step 3.</p>
  ${codeBlock('watch', 'In two more terminals', 'sh', WATCH)}`
}

export async function webhookSteps(): Promise<Html> {
  return html`${heading(RECEIVE)}
  <p>Everything that happens to your payments and speakers is an event: a payment, a paid bill, the end of each announcement, a speaker that goes offline. A webhook sends each event to your server, signed by <em>Standard Webhooks</em>. This receiver verifies the signature and the time, takes each event once, and answers <code>204</code>. It needs no package, except in TypeScript, where it needs that of the client. Save it, and start it as its second or third line says.</p>
  ${codeTabs('receive-program', `Language of the receiver: ${RECEIVE.title}`, await readSamples('receive'), { sh: 'Shell' })}
  ${codeBlock('receive-try', 'Try it', 'sh', TRY)}
  <p><code>hub listen</code> signs by the same secret at each start. It says what your receiver has answered, and repeats nothing.</p>
  <dl class="stages">
    <dt><code>2xx</code></dt><dd>You have it. Answer within 15 seconds, and work afterwards.</dd>
    <dt><code>400</code> <code>401</code></dt><dd>Your answers to what is incomplete, forged or old. When a true one gets them, paste it into <a href="/docs/webhooks">the checker</a>: it says why.</dd>
    <dt>Again</dt><dd>An event comes at least once. <code>webhook-id</code> is the same each time: store it with what you have made of the event.</dd>
    <dt>Order</dt><dd>Is not promised; <code>seq</code> of the event tells it.</dd>
  </dl>
  <p class="next">It runs. Put it behind a public <code>https</code> address.</p>
</section>
${heading(PRODUCTION)}
  <p class="endpoint"><span class="method">POST</span> <code>${CREATE_PATH}</code></p>
  <p>The hub sends your events to this address from now on: all of them, or those of the <code>types</code> that you name. The secret is in this response only. Give it to your receiver.</p>
  ${codeBlock('webhook-request', 'curl', 'sh', CREATE_REQUEST)}
  ${codeBlock('webhook-answer', html`Answer <span class="status">201</span>`, 'json', JSON.stringify(CREATED, null, 2))}
  ${refusalList(CREATE_REFUSALS)}
  <h3>See it arrive</h3>
  <p>Ask for a <code>webhook.test</code>, and see what became of it. <code>id</code> is that of the answer above.</p>
  ${codeBlock('webhook-test', 'curl', 'sh', TEST_REQUEST)}
  <ul class="advice">
    <li><strong>A failure is tried again</strong> after 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each 10 % more or less. With <code>429</code>, <code>502</code>, <code>503</code> or <code>504</code> the hub waits as long as your <code>Retry-After</code> says, up to 24 hours.</li>
    <li><strong>Redirects are failures.</strong> <code>410</code> disables the webhook, and so do five days with failures only.</li>
    <li><strong>Nothing is lost</strong> while events are kept, 30 days by default: <code>POST ${CREATE_PATH}/{id}/replay</code> sends one or those of a time again, and <code>GET /api/v1/partner/event</code> has every event, also without a webhook.</li>
    <li><strong>Change the secret without a gap</strong> by <code>POST ${CREATE_PATH}/{id}/rotate</code>: for 24 hours each delivery has both signatures, and the receiver above accepts either.</li>
  </ul>
</section>`
}

const heading = ({ name, number, title }: (typeof WEBHOOK_STEPS)[number]) =>
  // The caller closes the section.
  html`<section class="step" id="${name}" aria-labelledby="${name}-title">
  <h2 id="${name}-title"><span class="step-number" aria-hidden="true">${number}</span>${title}</h2>`
