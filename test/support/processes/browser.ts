import { type Browser, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { OnEnd } from '../folder.ts'
import { findProgram } from './program.ts'

/** A host name that no resolver knows. The browser maps it to this machine, but treats it as a foreign host. */
export const FOREIGN_HOST = 'hub.example'

export const NO_BROWSER = 'there is no chromium, chromium-browser or google-chrome on PATH'

/** The browser of this machine, if it has one. */
export function findChromium(): string | undefined {
  return findProgram('chromium', 'chromium-browser', 'google-chrome')
}

export async function launchChromium(executablePath: string, onEnd: OnEnd): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  const browser = await chromium.launch({
    executablePath,
    // Only the end of the test ends a wait.
    timeout: 0,
    args: [`--host-resolver-rules=MAP ${FOREIGN_HOST} 127.0.0.1`, ...(isRoot ? ['--no-sandbox'] : [])],
  })
  onEnd(() => browser.close())
  return browser
}

/** The requests and errors of a page since it was opened, without the icon: a browser asks for it when it likes. */
export interface WatchedPage {
  page: Page
  requests: string[]
  complaints: string[]
}

/** Opens a page without cookies or cache. The end of the test closes it. */
export async function openPage(
  browser: Browser,
  options: { width?: number; height?: number; colorScheme?: 'light' | 'dark'; javaScript?: boolean } = {},
): Promise<WatchedPage> {
  const { width = 1280, height = 900, colorScheme = 'light', javaScript = true } = options
  const context = await browser.newContext({
    ...{ viewport: { width, height }, colorScheme, javaScriptEnabled: javaScript },
    ...{ permissions: ['clipboard-read', 'clipboard-write'] },
  })
  context.setDefaultTimeout(0)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const watched: WatchedPage = { page, requests: [], complaints: [] }
  page.on('request', (request) => {
    if (!request.url().endsWith('/icon.svg')) watched.requests.push(request.url())
  })
  page.on('pageerror', (error) => watched.complaints.push(String(error)))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) watched.complaints.push(message.text())
  })
  return watched
}
