import { amountOf, parseMoney } from '../core/money.ts'
import type { Screen } from '../core/state.ts'

/** The highest QR that the display draws, in pixels. */
const HIGHEST_QR = 210
const CODE = /(?<!\d)\d{6}(?!\d)/

type WaitScreen = (Extract<Screen, { screen: 'qr' }> | Extract<Screen, { screen: 'code' }>) & {
  untilMs: number
}

/** The screen of a `wait_payment`, or what is wrong with it. Without a QR, a label with six digits is a code. */
export function waitScreenIn(content: Record<string, unknown>, nowMs: number): WaitScreen | string {
  const { amount_due, order_id, payment_timeout, screen_content_config } = content
  const config = objectOf(screen_content_config)
  const qr = objectOf(config.wait_payment_screen_qrcode_1_config)
  const label = textOf(objectOf(config.wait_payment_screen_label_3_config).txt)
  if (typeof payment_timeout !== 'number' || payment_timeout <= 0) return 'no payment_timeout'
  if (typeof order_id !== 'string' || typeof amount_due !== 'number') return 'no order_id or amount_due'
  if (Number(qr.hei ?? 0) > HIGHEST_QR) return `a QR of more than ${HIGHEST_QR} pixels`
  const untilMs = nowMs + payment_timeout * 1000
  const text = textOf(qr.txt)
  if (text !== '') {
    const money = parseMoney(String(amount_due))
    return { screen: 'qr', qr: text, bill: order_id, label, untilMs, ...(money ? amountOf(money) : {}) }
  }
  const code = labelsIn(config)
    .map((one) => CODE.exec(one)?.[0])
    .find((one) => one !== undefined)
  return code === undefined ? 'neither a QR nor a code' : { screen: 'code', code, untilMs }
}

/** The home screen of a `set_device_info`; undefined when it sets none. */
export function homeIn(content: Record<string, unknown>): { lines: string[]; qr: string } | undefined {
  const { screen_content_config, static_qrcode_content } = content
  if (screen_content_config === undefined && static_qrcode_content === undefined) return undefined
  const config = objectOf(screen_content_config)
  const qr = textOf(objectOf(config.main_screen_qrcode_1_config).txt) || textOf(static_qrcode_content)
  return { lines: labelsIn(config), qr }
}

/** The texts of the labels, by their numbers. */
function labelsIn(config: Record<string, unknown>): string[] {
  return Object.keys(config)
    .filter((name) => name.includes('_label_'))
    .sort()
    .map((name) => textOf(objectOf(config[name]).txt))
    .filter((text) => text !== '')
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
