import type { Context } from 'hono'
import type { ConsoleSession } from '../../operators/session.ts'
import { POLICY } from '../../site/asset.ts'
import { wholePage } from './page.ts'
import type { Page, Place } from './visit.ts'
import type { Lang } from './words.ts'

const PAGE_HEADERS = {
  'Content-Security-Policy': [
    ...POLICY.filter((rule) => !rule.startsWith('form-action')),
    ...["style-src 'self'", "connect-src 'self'", "form-action 'self'"],
    ...["require-trusted-types-for 'script'", 'trusted-types console'],
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  // With no-referrer, browsers send a form with `Origin: null`.
  'Referrer-Policy': 'same-origin',
}

/** Answers with a whole page. Without `who`, nobody is logged in. */
export async function shown(
  c: Pick<Context, 'req' | 'html'>,
  page: Page,
  { lang, who, places }: { lang: Lang; who?: ConsoleSession | undefined; places: readonly Place[] },
): Promise<Response> {
  const { pathname, search } = new URL(c.req.url)
  // The switch of languages can't repeat a change: it leads to the list that the change belongs to.
  const place = places.find(({ path: begin }) => begin !== '/' && pathname.startsWith(begin))
  const path = c.req.method === 'GET' ? `${pathname}${search}` : (place?.path ?? '/')
  const text = await wholePage(page, { lang, path, places, who })
  return c.html(text, page.status ?? 200, PAGE_HEADERS)
}
