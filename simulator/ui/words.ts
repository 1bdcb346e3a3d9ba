import type { Language } from '../../protocol/messages/fields.ts'

/** What stands on the device's own screen, in the language of its settings. */
export interface Words {
  code: string
  secondsLeft(seconds: number): string
  scan: string
  bill: string
  paid: string
  missed(count: number): string
  notSpoken: string
  ready: string
  unregistered: string
  register: string
  connecting: string
  noNetwork: string
  silent: string
  volume: string
  waiting(count: number): string
  beep: string
}

const VI: Words = {
  code: 'MÃ XÁC MINH',
  secondsLeft: (seconds) => `còn ${seconds} giây`,
  scan: 'Quét mã để trả tiền',
  bill: 'Hoá đơn',
  paid: 'ĐÃ THANH TOÁN',
  missed: (count) => `${count} KHOẢN ĐẾN MUỘN`,
  notSpoken: 'Tiền đã nhận nhưng loa không đọc',
  ready: 'Sẵn sàng nhận tiền',
  unregistered: 'CHƯA ĐĂNG KÝ',
  register: 'Hãy đăng ký loa này với cửa hàng',
  connecting: 'Đang kết nối…',
  noNetwork: 'MẤT KẾT NỐI',
  silent: 'Loa không đọc được tiền đến',
  volume: 'Âm lượng',
  waiting: (count) => `${count} đang chờ`,
  beep: 'Bíp! Bíp! Bíp!',
}

const EN: Words = {
  code: 'VERIFICATION CODE',
  secondsLeft: (seconds) => `${seconds} s left`,
  scan: 'Scan to pay',
  bill: 'Bill',
  paid: 'PAID',
  missed: (count) => (count === 1 ? '1 LATE PAYMENT' : `${count} LATE PAYMENTS`),
  notSpoken: 'The money is here; it was not spoken',
  ready: 'Ready for payments',
  unregistered: 'NOT REGISTERED',
  register: 'Register this speaker with a shop',
  connecting: 'Connecting…',
  noNetwork: 'NO NETWORK',
  silent: 'Payments are not being spoken',
  volume: 'Volume',
  waiting: (count) => `${count} waiting`,
  beep: 'Beep! Beep! Beep!',
}

export function wordsOf(lang: Language): Words {
  switch (lang) {
    case 'vi':
      return VI
    case 'en':
      return EN
  }
}
