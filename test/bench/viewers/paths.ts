/** The pages that people turn, and the stream of the Line. */
export const PAGES = ['/', '/devices', '/day', '/payments']
export const LIVE = '/line/live'
