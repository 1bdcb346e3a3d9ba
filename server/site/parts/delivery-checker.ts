import { type Html, html } from './html.ts'
import { QUIET, result } from './result.ts'

/** The checker of webhook deliveries; `browser/delivery/checker.ts` fills in an example and makes it interactive. */
export function deliveryChecker(): Html {
  return html`<div class="calculator needs-scripts"><div class="calc-parts">
  <div class="calc-part">
    <h3>The delivery</h3>
    <div class="field wide">
      <label for="delivery-text">Its three headers and its body</label>
      <textarea id="delivery-text" class="delivery-text" rows="14" ${QUIET} aria-describedby="delivery-help"></textarea>
      <p class="delivery-help" id="delivery-help">Raw HTTP, <code>curl -v</code>, a curl command, JSON or lines of a log.</p>
    </div>
    <div class="field wide">
      <label for="delivery-secret">Secret of the webhook</label>
      <input id="delivery-secret" type="text" ${QUIET} placeholder="whsec_…">
    </div>
  </div>
  <div class="calc-part">
    <h3>What a receiver says</h3>
    <p class="verdict" id="delivery-verdict" role="status"></p>
    <ul class="findings" id="delivery-findings"></ul>
  </div>
  <div class="calc-part calc-yours">
    <h3>Your code</h3>
    ${result('delivery-content', html`Content to sign <span class="muted">{id}.{timestamp}.{body}</span>`)}
    ${result('delivery-signature', 'Its signature with this secret')}
    <div class="field wide">
      <label for="delivery-own">The signature that your code computes</label>
      <input id="delivery-own" type="text" ${QUIET} placeholder="v1,…">
      <p class="verdict" id="delivery-own-verdict" role="status"></p>
    </div>
  </div>
</div></div>
<p class="only-without-scripts">The checker needs JavaScript. Without it, a library of <cite>standardwebhooks.com</cite> tells whether a delivery is right, and not why it is wrong.</p>`
}
