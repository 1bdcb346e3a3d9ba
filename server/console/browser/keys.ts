/** `/` goes to the search; `j` and `k` go through the rows of the first table, and Enter opens the first link of one. */
export function startKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    if (event.key === '/') {
      event.preventDefault()
      document.querySelector<HTMLInputElement>('.find input')?.focus()
    }
    if (event.key === 'j') move(1)
    if (event.key === 'k') move(-1)
    if (event.key === 'Enter' && document.activeElement instanceof HTMLTableRowElement)
      document.activeElement.querySelector<HTMLAnchorElement>('a')?.click()
  })
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, select, textarea')
}

function move(by: 1 | -1) {
  const rows = [...document.querySelectorAll<HTMLTableRowElement>('tbody tr')]
  const at = rows.findIndex((row) => row.matches(':focus'))
  const next = rows[at < 0 ? 0 : at + by]
  if (!next) return
  next.tabIndex = -1
  next.focus()
}
