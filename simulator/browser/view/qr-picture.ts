import { encodeQr } from '../../screen/drawing/qr.ts'
import { drawing, element } from './element.ts'

/** The white margin that every reader needs, in modules (ISO/IEC 18004). */
const QUIET = 4

/**
 * A QR as large as its place allows, black on white. Each module is a whole number of the screen's pixels and begins at
 * one, so that no edge is blurred. `name` is what a screen reader says.
 */
export function qrPicture(text: string, name: string): HTMLElement {
  const matrix = encodeQr(text)
  const size = matrix.length + 2 * QUIET
  const picture = drawing('qr', size, darkRuns(matrix))
  picture.setAttribute('shape-rendering', 'crispEdges')
  picture.setAttribute('aria-hidden', 'false')
  picture.setAttribute('role', 'img')
  picture.setAttribute('aria-label', name)
  const place = element('div', 'qr-place', picture)
  const fit = () => {
    const pixel = 1 / window.devicePixelRatio
    const room = Math.min(place.clientWidth, place.clientHeight)
    const side = Math.floor(room / pixel / size) * size * pixel
    picture.style.width = picture.style.height = `${side}px`
    picture.style.translate = 'none'
    const { left, top } = picture.getBoundingClientRect()
    const shift = (at: number) => Math.round(at / pixel) * pixel - at
    picture.style.translate = `${shift(left)}px ${shift(top)}px`
  }
  new ResizeObserver(fit).observe(place)
  return place
}

/** The dark modules as rectangles, one for each run of a row. */
function darkRuns(matrix: readonly (readonly boolean[])[]): string {
  return matrix
    .flatMap((row, y) =>
      row.map((dark, x) => {
        if (!dark || row[x - 1]) return ''
        const end = row.indexOf(false, x)
        const length = (end < 0 ? row.length : end) - x
        return `M${x + QUIET} ${y + QUIET}h${length}v1h${-length}z`
      }),
    )
    .join('')
}
