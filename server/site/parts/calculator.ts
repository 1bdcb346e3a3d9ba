import checksum from '../../../protocol/vectors/checksum.json' with { type: 'json' }
import { CHECKSUM_FIELDS, signedFields } from '../../payments/canonical-string.ts'
import type { Say } from '../../platform/language/words.ts'
import { type Html, html } from './html.ts'
import { QUIET, result } from './result.ts'

const [first] = checksum.vectors
/** The initial callback. */
export const EXAMPLE = { secret: checksum.key, fields: signedFields((name) => first?.fields[name] ?? '') }

/** The checksum calculator with an example; `browser/calculator.ts` makes it interactive. */
export function calculator(say: Say, { secret, fields } = EXAMPLE): Html {
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
    <h3>${say({ en: 'The callback', vi: 'Callback' })}</h3>
    <div class="field wide">
      <label for="calc-json">${say({ en: 'Paste its JSON body to fill the fields', vi: 'Dán phần thân JSON để điền các trường' })}</label>
      <textarea id="calc-json" rows="2" placeholder='{"terminalID": "…", "checkSum": "…"}' ${QUIET} aria-describedby="calc-json-remark"></textarea>
      <p class="remark" id="calc-json-remark" role="status"></p>
    </div>
    <div class="calc-fields">${boxes}</div>
    <div class="field wide">
      <label for="calc-secret">${say({ en: 'Client secret', vi: 'Khoá bí mật (client secret)' })}</label>
      <input id="calc-secret" type="text" value="${secret}" ${QUIET} aria-describedby="calc-secret-remark">
      <p class="remark" id="calc-secret-remark" role="status"></p>
    </div>
  </div>
  <div class="calc-part">
    <h3>${say({ en: 'The string to sign and its checksum', vi: 'Chuỗi cần ký và checksum' })}</h3>
    ${result(say, 'calc-string', html`${say({ en: 'String to sign', vi: 'Chuỗi cần ký' })} <span id="calc-length" class="muted"></span>`)}
    ${result(say, 'calc-hex', say({ en: 'HMAC-SHA256 in hex: the checkSum', vi: 'HMAC-SHA256 dạng hex: chính là checkSum' }))}
    ${result(say, 'calc-base64', say({ en: 'The same in base64', vi: 'Kết quả đó dạng base64' }))}
  </div>
  <div class="calc-part calc-yours">
    <h3>${say({ en: 'Yours', vi: 'Của bạn' })}</h3>
    <div class="field wide">
      <label for="calc-their-string">${say({ en: 'The string that your code signs', vi: 'Chuỗi mà chương trình của bạn ký' })}</label>
      <textarea id="calc-their-string" rows="3" ${QUIET}></textarea>
      <p class="verdict" id="calc-string-verdict" role="status"></p>
      <div id="calc-difference" class="difference" hidden>
        <p id="calc-difference-place"></p>
        <dl>
          <dt>${say({ en: 'Right', vi: 'Đúng' })}</dt><dd id="calc-difference-right"></dd>
          <dt>${say({ en: 'Yours', vi: 'Của bạn' })}</dt><dd id="calc-difference-theirs"></dd>
        </dl>
      </div>
    </div>
    <div class="field wide">
      <label for="calc-their-checksum">${say({ en: 'The checksum that your code computes', vi: 'Checksum mà chương trình của bạn tính ra' })}</label>
      <input id="calc-their-checksum" type="text" ${QUIET}>
      <p class="verdict" id="calc-checksum-verdict" role="status"></p>
    </div>
  </div>
</div></div>
<p class="only-without-scripts">${say({
    en: html`The calculator needs JavaScript. Without it, <code>npm run -s hub -- checksum --explain FILE</code> does the same.`,
    vi: html`Công cụ tính cần JavaScript. Nếu không có, lệnh <code>npm run -s hub -- checksum --explain FILE</code> làm được như vậy.`,
  })}</p>`
}
