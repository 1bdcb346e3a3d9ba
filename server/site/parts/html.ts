import { html } from 'hono/html'

/** A piece of a page; texts in it are escaped when it is made. */
export type Html = ReturnType<typeof html>

export { html }
