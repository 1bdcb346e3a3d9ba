import { CHECKSUM_FIELDS } from '../../payments/canonical-string.ts'
import { CLIENT_ID_AS_KEY, WRONG_KEYS, WRONG_RECIPES } from '../../payments/wrong-recipes.ts'
import { calculator } from '../parts/calculator.ts'
import { html } from '../parts/html.ts'
import { page } from '../parts/shell.ts'

/** The rule of the checksum, with a calculator that finds mistakes. */
export function checksumPage(): Promise<string> {
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
  return page({
    path: '/docs/checksum',
    title: 'The callback’s checksum',
    description: 'How a payment callback is signed, and a calculator that finds the mistake in yours.',
    styles: ['calculator.css'],
    scripts: ['checksum.js'],
    body: html`<main class="sheet" id="content">
  <p class="eyebrow">Tool</p>
  <h1>The callback’s checksum</h1>
  <p class="lead">Sign your callback here and compare it with the result of your code: the calculator finds the first character that differs and names the mistake behind it. It runs in this page only. Nothing that you type leaves it.</p>

  <section aria-labelledby="rule">
    <h2 id="rule">The rule</h2>
    <ol class="rule">
      <li>Take the eight fields in this order; an absent field or <code>null</code> is the empty string: ${CHECKSUM_FIELDS.map((name, i) => html`${i === 0 ? '' : ', '}<code>${name}</code>`)}.</li>
      <li>Write them form-urlencoded, as <code>name=value</code> joined by <code>&amp;</code>: letters, digits and <code>* - . _</code> stay unchanged, a space becomes <code>+</code>, every other byte of the UTF-8 becomes <code>%XX</code> in capitals.</li>
      <li>Compute the HMAC-SHA256 of that string with the client secret as the key. Send it as <code>checkSum</code> in hex of any case, base64 or base64url.</li>
    </ol>
    <p>The hub also accepts the string with <code>payDate</code> as its <code>toISOString()</code>, because <code>JSON.stringify</code> writes a date like that.</p>
  </section>

  <section aria-labelledby="calculator">
    <h2 id="calculator">Calculator</h2>
    ${calculator()}
  </section>

  <section aria-labelledby="mistakes">
    <h2 id="mistakes">The usual mistakes</h2>
    <p>The hub knows them too: if a refused checksum comes from one of these, <code>details</code> of the response (code <code>40014</code>) names it.</p>
    <ul class="pairs">${[...WRONG_RECIPES, ...WRONG_KEYS, CLIENT_ID_AS_KEY].map(
      ({ mistake, instead }) =>
        html`<li><span>${capital(mistake)}</span><span>${capital(instead)}.</span></li>`,
    )}</ul>
    <p>Test your code with the <a href="/docs/assets/checksum-vectors.json">test vectors</a>: fields, string, hex and base64.</p>
  </section>
</main>`,
  })
}
