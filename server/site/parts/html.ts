import { html } from 'hono/html'

/** A fragment of a page; interpolated texts are escaped. */
export type Html = ReturnType<typeof html>

export { html }
