import type { Language } from '../../../protocol/money/language.ts'

/** The texts of the device's display, in the language of its settings. */
export interface Words {
  code: string
  /** `time`: minutes and seconds. */
  timeLeft(time: string): string
  scan: string
  bill: string
  received: string
  paid: string
  missed(count: number): string
  notSpoken: string
  ready: string
  locked: string
  /** Who unlocks it. */
  askToUnlock: string
  unregistered: string
  register: string
  serial(serial: string): string
  /** How to register it. */
  steps: readonly string[]
  connecting: string
  noNetwork: string
  silent: string
  /** The short form for narrow displays. */
  silentShort: string
  retry(seconds: number): string
}

const VI: Words = {
  code: 'MÃ XÁC MINH',
  timeLeft: (time) => `còn ${time}`,
  scan: 'Quét mã để trả tiền',
  bill: 'Hoá đơn',
  received: 'ĐÃ NHẬN TIỀN',
  paid: 'ĐÃ THANH TOÁN',
  missed: (count) => `${count} KHOẢN CHƯA ĐƯỢC ĐỌC`,
  notSpoken: 'Tiền đã nhận nhưng loa không đọc',
  ready: 'Sẵn sàng nhận tiền',
  locked: 'LOA ĐANG BỊ KHOÁ',
  askToUnlock: 'Liên hệ đối tác để mở khoá',
  unregistered: 'CHƯA ĐĂNG KÝ',
  register: 'Hãy đăng ký loa này với cửa hàng',
  serial: (serial) => `Số máy: ${serial}`,
  steps: ['1. Mở ứng dụng của đối tác', '2. Nhập số máy này', '3. Nhập mã sẽ hiện ở đây'],
  connecting: 'Đang kết nối…',
  noNetwork: 'MẤT KẾT NỐI',
  silent: 'Loa không đọc được tiền đến',
  silentShort: 'Loa không đọc',
  retry: (seconds) => `Thử lại sau ${roughly(seconds, 'giây', 'phút')}`,
}

const EN: Words = {
  code: 'VERIFICATION CODE',
  timeLeft: (time) => `${time} left`,
  scan: 'Scan to pay',
  bill: 'Bill',
  received: 'RECEIVED',
  paid: 'PAID',
  missed: (count) => (count === 1 ? '1 PAYMENT NOT ANNOUNCED' : `${count} PAYMENTS NOT ANNOUNCED`),
  notSpoken: 'The money is here; it was not spoken',
  ready: 'Ready for payments',
  locked: 'LOCKED',
  askToUnlock: 'Ask your partner to unlock it',
  unregistered: 'NOT REGISTERED',
  register: 'Register this speaker with a shop',
  serial: (serial) => `Serial number: ${serial}`,
  steps: [
    '1. Open the app of your partner',
    '2. Enter this serial number',
    '3. Enter the code that appears here',
  ],
  connecting: 'Connecting…',
  noNetwork: 'NO NETWORK',
  silent: 'Payments are not being spoken',
  silentShort: 'Not speaking',
  retry: (seconds) => `Next try in ${roughly(seconds, 's', 'min')}`,
}

/** Nobody counts the seconds of a quarter of an hour. */
function roughly(seconds: number, second: string, minute: string): string {
  return seconds < 100 ? `${seconds} ${second}` : `${Math.ceil(seconds / 60)} ${minute}`
}

export function wordsOf(lang: Language): Words {
  switch (lang) {
    case 'vi':
      return VI
    case 'en':
      return EN
  }
}
