import checksum from '../../../protocol/vectors/checksum.json' with { type: 'json' }
import { CHECKSUM_FIELDS, signedFields } from '../../payments/canonical-string.ts'
import { type Html, html } from './html.ts'
import { QUIET, result } from './result.ts'

const [first] = checksum.vectors
/** The initial callback. */
export const EXAMPLE = { secret: checksum.key, fields: signedFields((name) => first?.fields[name] ?? '') }

/** The checksum calculator with an example; `browser/calculator.ts` makes it interactive. */
export function calculator({ secret, fields } = EXAMPLE): Html {
  const boxes = CHECKSUM_FIELDS.map((name) => {
    const id = `calc-${name}`
    const box =
      name === 'notice'
        ? html`<textarea id="${id}" rows="1" ${QUIET}>${fields[name]}</textarea>`
        : html`<input id="${id}" type="text" value="${fields[name]}" ${QUIET}>`
    return html`<div class="field${name === 'notice' || name === 'ftCode' ? ' wide' : ''}"><label for="${id}"><code>${name}</code></label>${box}</div>`
  })
  return html`<div class="calculator needs-scripts"><div class="calc-parts">
  <div class="calc-part">
    <h3>The callback</h3>
    <div class="field wide">
      <label for="calc-json">Paste its JSON body to fill the fields</label>
      <textarea id="calc-json" rows="2" placeholder='{"terminalID": "…", "checkSum": "…"}' ${QUIET} aria-describedby="calc-json-remark"></textarea>
      <p class="remark" id="calc-json-remark" role="status"></p>
    </div>
    <div class="calc-fields">${boxes}</div>
    <div class="field wide">
      <label for="calc-secret">Client secret</label>
      <input id="calc-secret" type="text" value="${secret}" ${QUIET} aria-describedby="calc-secret-remark">
      <p class="remark" id="calc-secret-remark" role="status"></p>
    </div>
  </div>
  <div class="calc-part">
    <h3>The string to sign and its checksum</h3>
    ${result('calc-string', html`String to sign <span id="calc-length" class="muted"></span>`)}
    ${result('calc-hex', 'HMAC-SHA256 in hex: the checkSum')}
    ${result('calc-base64', 'The same in base64')}
  </div>
  <div class="calc-part calc-yours">
    <h3>Yours</h3>
    <div class="field wide">
      <label for="calc-their-string">The string that your code signs</label>
      <textarea id="calc-their-string" rows="3" ${QUIET}></textarea>
      <p class="verdict" id="calc-string-verdict" role="status"></p>
      <div id="calc-difference" class="difference" hidden>
        <p id="calc-difference-place"></p>
        <dl>
          <dt>Right</dt><dd id="calc-difference-right"></dd>
          <dt>Yours</dt><dd id="calc-difference-theirs"></dd>
        </dl>
      </div>
    </div>
    <div class="field wide">
      <label for="calc-their-checksum">The checksum that your code computes</label>
      <input id="calc-their-checksum" type="text" ${QUIET}>
      <p class="verdict" id="calc-checksum-verdict" role="status"></p>
    </div>
  </div>
</div></div>
<p class="only-without-scripts">The calculator needs JavaScript. Without it, <code>npm run -s hub -- checksum --explain FILE</code> does the same.</p>`
}
