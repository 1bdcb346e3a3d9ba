import { formatAmount } from '../../../protocol/money/amount.ts'
import type { CommandBody } from '../../delivery/session/command.ts'
import type { HemipayProfile } from '../profile/schema.ts'

type Screen = NonNullable<HemipayProfile['screen']>
type Content = Record<string, unknown>

/** Seconds. A longer wait screen is not documented. */
const CODE_SECONDS = 300
/** Characters of a shop's name, the longest form first, as for sb/1 (sb/1 6.3). */
const NAME_LENGTHS = [128, 32, 8]

/**
 * The fonts of the boxes have ASCII alone, as far as their documents show: Vietnamese letters lose their marks, and other
 * characters are left out.
 */
export function asciiText(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('đ', 'd').replaceAll('Đ', 'D')
  return plain
    .replace(/[^ -~]/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
}

export function moneyText(amount: string): string {
  return formatAmount(amount).replace('đ', 'VND')
}

/** The wait screen with a bill's QR. It closes at the end of the bill, or with a payment of the same `order_id`. */
export function billScreen(
  { qrHeight, ...label }: Screen,
  { qr, amount, billNumber }: Extract<CommandBody, { kind: 'qr' }>,
  seconds: number,
): Content {
  return {
    amount_due: Number(amount),
    order_id: billNumber,
    payment_timeout: seconds,
    screen_content_config: {
      wait_payment_screen_qrcode_1_config: { txt: qr, x: 1, y: 1, hei: qrHeight },
      wait_payment_screen_label_3_config: { txt: moneyText(amount), x: 1, ...labelStyle(label) },
    },
  }
}

/** The wait screen with a verification code alone. */
export function codeScreen(screen: Screen, code: string, orderId: string, seconds: number): Content {
  return {
    amount_due: 0,
    order_id: orderId,
    payment_timeout: Math.min(seconds, CODE_SECONDS),
    screen_content_config: { wait_payment_screen_label_3_config: { txt: code, x: 1, ...labelStyle(screen) } },
  }
}

/** The idle screen, the largest form first. A QR that does not fit is removed: an older one would be another shop's. */
export function idleScreens(
  screen: Screen,
  { name, qr, locked }: Extract<CommandBody, { kind: 'profile' }>,
): Content[] {
  const names = NAME_LENGTHS.map((length) => asciiText(name).slice(0, length))
  const codes = qr === '' || locked ? [''] : [qr, '']
  return codes.flatMap((txt) =>
    names.map((text) => ({
      screen_content_config: {
        main_screen_label_1_config: { txt: text, ...labelStyle(screen) },
        main_screen_qrcode_1_config: { txt, hei: screen.qrHeight, col: '000000' },
      },
    })),
  )
}

export function missedScreen(
  screen: Screen,
  { count, amount }: Extract<CommandBody, { kind: 'missed' }>,
): Content {
  const txt = `${count} missed: ${moneyText(amount)}`
  return { screen_content_config: { main_screen_label_3_config: { txt, ...labelStyle(screen) } } }
}

function labelStyle({ labelHeight, color }: Pick<Screen, 'labelHeight' | 'color'>) {
  return { hei: labelHeight, col: color }
}
