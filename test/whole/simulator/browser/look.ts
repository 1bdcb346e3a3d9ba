import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { galleryScript } from './gallery.ts'

const CSS = readFileSync(new URL('../../../../server/site/speaker/speaker.css', import.meta.url), 'utf8')
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Gives an empty page the style sheet of a speaker, its view and axe. */
export async function openGallery(page: Page): Promise<void> {
  await page.setContent(
    `<!doctype html><html lang="vi"><head><title>Soundbox</title><style>${CSS}</style></head><body><main></main></body></html>`,
  )
  await page.evaluate(await galleryScript())
  await page.evaluate(AXE)
  await page.evaluate(LOOK)
}

/** The rules of axe that an element of the page breaks: `rule: element`. */
export async function axeFaults(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`axe.run(document, {
    resultTypes: ['violations'],
    // It does not see through gradients: \`contrastFaults\` looks at the pixels.
    rules: { 'color-contrast': { enabled: false } },
  }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 120))))`)
}

/**
 * Texts with less than 4.5:1 to a pixel behind them (large ones 3:1), icons, edges of controls and rings of the focus
 * with less than 3:1 to what is around them. Looks at the page's own pixels, drawn without its texts.
 */
export async function contrastFaults(page: Page): Promise<string[]> {
  await page.evaluate('look.hideTexts(true)')
  const picture = (await page.screenshot({ animations: 'disabled' })).toString('base64')
  await page.evaluate('look.hideTexts(false)')
  return await page.evaluate<string[]>(`look.contrast('${picture}')`)
}

/** What can't be reached by scrolling, overflows its box, or lies over another text. */
export async function layoutFaults(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>('look.layout()')
}

const LOOK = `window.look = (() => {
  const style = document.createElement('style')
  style.textContent = '* { -webkit-text-fill-color: transparent !important; animation: none !important }'
  const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
  const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255)
  const ratio = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b)
    return (high + 0.05) / (low + 0.05)
  }
  const one = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  const parse = (colour) => {
    one.clearRect(0, 0, 1, 1)
    one.fillStyle = colour
    one.fillRect(0, 0, 1, 1)
    const [r, g, b, a] = one.getImageData(0, 0, 1, 1).data
    return [r, g, b, a / 255]
  }
  const opacityOf = (element) => (element ? Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement) : 1)
  const over = ([r, g, b, a], below, opacity) => [r, g, b].map((c, at) => c * a * opacity + below[at] * (1 - a * opacity))
  const isSeen = (element) => element.checkVisibility() && !element.closest('.for-ears') && !element.closest('[disabled]')
  function* texts() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const node = walker.currentNode
      if (node.data.trim() === '' || !isSeen(node.parentElement)) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      yield [node, range.getClientRects()]
    }
  }
  const nameOf = (element) => element.className?.baseVal ?? (element.className || element.tagName)
  /** What is seen of a box: its scrolling ancestors cut it. */
  const cut = (box, element) => {
    let { left, top, right, bottom } = box
    for (let at = element; at; at = at.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(at)
      const of = at.getBoundingClientRect()
      if (overflowY !== 'visible') [top, bottom] = [Math.max(top, of.top), Math.min(bottom, of.bottom)]
      if (overflowX !== 'visible') [left, right] = [Math.max(left, of.left), Math.min(right, of.right)]
    }
    return { left, top, right, bottom }
  }
  async function contrast(base64) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes]))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true })
    context.drawImage(bitmap, 0, 0)
    const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    const pixel = (x, y) => {
      const [px, py] = [Math.floor(x), Math.floor(y)]
      if (px < 0 || py < 0 || px >= width || py >= height) return undefined
      const at = (py * width + px) * 4
      return [data[at], data[at + 1], data[at + 2]]
    }
    const faults = []
    const judge = (what, element, value, least) => {
      if (value < least) faults.push(what + ' of ' + nameOf(element) + ': ' + value.toFixed(2) + ' < ' + least)
    }
    for (const [node, boxes] of texts()) {
      const element = node.parentElement
      const css = getComputedStyle(element)
      const size = Number.parseFloat(css.fontSize)
      const least = size >= 24 || (size >= 18.66 && Number(css.fontWeight) >= 700) ? 3 : 4.5
      const [colour, opacity] = [parse(css.color), opacityOf(element)]
      let worst = 21
      for (const box of boxes) {
        const { left, top, right, bottom } = cut(box, element)
        for (let x = left + 1; x < right - 1; x += 3)
          for (let y = top + 2; y < bottom - 2; y += 3) {
            const below = pixel(x, y)
            if (below) worst = Math.min(worst, ratio(over(colour, below, opacity), below))
          }
      }
      judge('text "' + node.data.slice(0, 20) + '"', element, worst, least)
    }
    for (const control of document.querySelectorAll('button, textarea, [tabindex="0"]')) {
      if (!isSeen(control)) continue
      const box = control.getBoundingClientRect()
      const seen = cut(box, control.parentElement)
      const y = (box.top + box.bottom) / 2
      if (seen.top > y - 4 || seen.bottom < y + 4) continue
      const around = pixel(box.left - 2.5, y)
      // A tap is taken anywhere on the screen, and a list has no edge.
      if (around && !control.matches('.tap, .list')) {
        const edge = Math.max(...[0.5, 1.5, 4].map((x) => ratio(pixel(box.left + x, y) ?? around, around)))
        judge('edge', control, edge, 3)
      }
      for (const sign of control.querySelectorAll('.sign')) {
        const below = pixel(box.left + 5, y)
        if (below) judge('icon', control, ratio(over(parse(getComputedStyle(sign).stroke), below, opacityOf(sign)), below), 3)
      }
      control.focus({ preventScroll: true, focusVisible: true })
      const { outlineStyle, outlineColor, outlineWidth } = getComputedStyle(control)
      const ring = outlineStyle === 'none' || Number.parseFloat(outlineWidth) < 2 || !around ? 1 : ratio(parse(outlineColor), around)
      if (around) judge('focus', control, ring, 3)
      control.blur()
    }
    return faults
  }
  function layout() {
    const faults = []
    const root = document.documentElement
    if (root.scrollWidth > innerWidth) faults.push('the page is wider than its window')
    const placed = []
    for (const [node, boxes] of texts()) {
      const element = node.parentElement
      // The row of a closed list is another promise: the list shows three.
      if (element.closest('.payments:not([data-open]) .list')) continue
      for (const box of boxes) {
        const [top, left] = [box.top + scrollY, box.left + scrollX]
        if (top < -1 || left < -1) faults.push('beyond the start of the page: ' + node.data)
        if (top + box.height > Math.max(root.scrollHeight, innerHeight) + 1) faults.push('below the page: ' + node.data)
        for (let at = element; at !== root; at = at.parentElement) {
          const { overflowX, overflowY } = getComputedStyle(at)
          const of = at.getBoundingClientRect()
          if (overflowX !== 'visible' && (box.left < of.left - 1 || box.right > of.right + 1)) faults.push('cut: ' + node.data)
          const scrolls = overflowY === 'auto' || overflowY === 'scroll'
          if (overflowY === 'hidden' && box.bottom > of.bottom + 4) faults.push('cut below: ' + node.data)
          if (scrolls && box.top + at.scrollTop < of.top - 6) faults.push('above what scrolls: ' + node.data)
          if (scrolls && of.height < Math.min(60, at.scrollHeight)) faults.push('no room to scroll in: ' + node.data)
        }
        const seen = cut(box, element)
        if (seen.bottom - seen.top > 4 && seen.right - seen.left > 4) placed.push([node, seen])
      }
    }
    for (const [at, [node, box]] of placed.entries())
      for (const [other, next] of placed.slice(at + 1)) {
        const x = Math.min(box.right, next.right) - Math.max(box.left, next.left)
        const y = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top)
        const height = Math.min(box.bottom - box.top, next.bottom - next.top)
        if (node !== other && x > 3 && y > height / 2) faults.push('over each other: ' + node.data + ' | ' + other.data)
      }
    return [...new Set(faults)]
  }
  return { contrast, layout, hideTexts: (hide) => (hide ? document.head.append(style) : style.remove()) }
})()`
