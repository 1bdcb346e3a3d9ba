import type { Language } from '../../../protocol/money/language.ts'
import type { Mistake } from '../provision/link.ts'

/** The texts of the page around the device's display. */
export interface PageWords {
  switchOn: string
  whyTap: string
  switchOnAgain: string
  elsewhere: string
  elsewhereHelp: string
  broken: string
  brokenHelp: string
  refused: string
  refusedHelp: string
  tryNow: string
  seen: string
  louder: string
  quieter: string
  volume: string
  language: string
  fullScreen: string
  lights: Readonly<
    Record<
      | 'online'
      | 'joining'
      | 'offline'
      | 'refused'
      | 'shop'
      | 'noShop'
      | 'locked'
      | 'muted'
      | 'noSound'
      | 'missed',
      string
    >
  >
  today: (count: number) => string
  payments: string
  unspoken: (count: number) => string
  hide: string
  hidden: string
  noPayments: string
  showList: string
  setUp: string
  setUpHelp: string
  setUpGrid: string
  setUpGridHelp: string
  paste: string
  pasteHint: string
  use: string
  mistakes: Readonly<Record<Mistake, (at: string) => string>>
  replace: (stored: string, given: string) => string
  replaceHelp: string
  replaceYes: (given: string) => string
  replaceNo: (stored: string) => string
  otherKey: (serial: string) => string
  otherKeyHelp: string
  otherKeyYes: string
  otherKeyNo: string
  insecure: string
  insecureHelp: string
  failed: string
  failedHelp: string
  more: (shown: number, all: number) => string
}

const EN: PageWords = {
  switchOn: 'Tap to switch on',
  whyTap: 'A browser plays sound only after a tap',
  switchOnAgain: 'No sound. Tap for sound',
  elsewhere: 'RUNS IN ANOTHER TAB',
  elsewhereHelp: 'This speaker goes on here when the other one is closed',
  broken: 'BROKEN',
  brokenHelp: 'The speaker has stopped, so that no payment is spoken twice',
  refused: 'THE HUB REFUSES IT',
  refusedHelp: 'Is the link an old one? Ask for a new one',
  tryNow: 'Try now',
  seen: 'Seen',
  louder: 'Louder',
  quieter: 'Quieter',
  volume: 'Volume',
  language: 'Đổi sang tiếng Việt',
  fullScreen: 'Full screen',
  lights: {
    online: 'online',
    joining: 'joining',
    offline: 'offline',
    refused: 'refused',
    shop: 'shop',
    noShop: 'no shop',
    locked: 'locked',
    muted: 'muted',
    noSound: 'no sound',
    missed: 'missed',
  },
  today: (count) => (count === 1 ? 'Today: 1 payment' : `Today: ${count} payments`),
  payments: 'The last payments',
  unspoken: (count) => (count === 1 ? 'not spoken' : `${count} not spoken`),
  hide: 'Hide the amounts',
  hidden: 'hidden',
  noPayments: 'No payment yet',
  showList: 'All of the list',
  setUp: 'Make this device a soundbox',
  setUpHelp: 'Open the link of a speaker here, or scan its QR. Who runs the hub makes one with:',
  setUpGrid: 'Show several speakers',
  setUpGridHelp: 'Paste the links of the speakers, one a line. Who runs the hub makes them with:',
  paste: 'Link of the speaker',
  pasteHint: 'https://…/speaker#serial=…&key=…',
  use: 'Use this link',
  mistakes: {
    empty: () => 'Paste a link first.',
    serial: (at) =>
      `The link has no proper serial${at && `: ${at}`}. A serial is 4 to 32 letters, digits, "_" or "-".`,
    key: (at) => `The key of ${at} is missing or damaged: it is 43 characters long. Copy the whole link.`,
    twice: (at) => `The speaker ${at} is there twice.`,
    many: (at) => `${at} speakers are too many: a page shows 50.`,
  },
  replace: (stored, given) => `This device is the speaker ${stored}. Shall it become ${given}?`,
  replaceHelp: 'The speaker that was here falls silent. Its link brings it back.',
  replaceYes: (given) => `Become ${given}`,
  replaceNo: (stored) => `Stay ${stored}`,
  otherKey: (serial) =>
    `This device is the speaker ${serial}, with another key. Shall it take the key of this link?`,
  otherKeyHelp: 'With the key of an old link, the hub refuses the speaker.',
  otherKeyYes: 'Take the key of this link',
  otherKeyNo: 'Keep the key',
  insecure: 'This address is not safe',
  insecureHelp:
    'Open the page by https. Plain http does only on the machine of the hub itself, as http://localhost.',
  failed: 'The speaker can not start',
  failedHelp: 'Load the page again',
  more: (shown, all) => `${shown} of ${all} speakers`,
}

const VI: PageWords = {
  switchOn: 'Chạm để bật loa',
  whyTap: 'Trình duyệt chỉ phát âm thanh sau khi chạm',
  switchOnAgain: 'Mất tiếng. Chạm để bật lại',
  elsewhere: 'ĐANG CHẠY Ở THẺ KHÁC',
  elsewhereHelp: 'Loa sẽ chạy ở đây khi thẻ kia đóng lại',
  broken: 'LOA HỎNG',
  brokenHelp: 'Loa đã dừng để không đọc một khoản tiền hai lần',
  refused: 'MÁY CHỦ TỪ CHỐI LOA NÀY',
  refusedHelp: 'Liên kết đã cũ? Hãy xin liên kết mới',
  tryNow: 'Thử ngay',
  seen: 'Đã xem',
  louder: 'To hơn',
  quieter: 'Nhỏ hơn',
  volume: 'Âm lượng',
  language: 'Switch to English',
  fullScreen: 'Toàn màn hình',
  lights: {
    online: 'trực tuyến',
    joining: 'đang nối',
    offline: 'mất mạng',
    refused: 'bị từ chối',
    shop: 'cửa hàng',
    noShop: 'chưa có cửa hàng',
    locked: 'bị khoá',
    muted: 'tắt tiếng',
    noSound: 'mất tiếng',
    missed: 'chưa đọc',
  },
  today: (count) => `Hôm nay: ${count} khoản`,
  payments: 'Các khoản gần nhất',
  unspoken: (count) => (count === 1 ? 'chưa đọc' : `${count} khoản chưa đọc`),
  hide: 'Ẩn số tiền',
  hidden: 'đã ẩn',
  noPayments: 'Chưa có khoản nào',
  showList: 'Xem cả danh sách',
  setUp: 'Biến thiết bị này thành loa báo tiền',
  setUpHelp:
    'Hãy mở liên kết của loa tại đây, hoặc quét mã QR của loa. Người vận hành tạo liên kết bằng lệnh:',
  setUpGrid: 'Hiện nhiều loa',
  setUpGridHelp: 'Dán liên kết của các loa, mỗi dòng một liên kết. Người vận hành tạo liên kết bằng lệnh:',
  paste: 'Liên kết của loa',
  pasteHint: 'https://…/speaker#serial=…&key=…',
  use: 'Dùng liên kết này',
  mistakes: {
    empty: () => 'Hãy dán liên kết trước.',
    serial: (at) =>
      `Liên kết thiếu số serial đúng${at && `: ${at}`}. Số serial có 4 đến 32 chữ, số, "_" hoặc "-".`,
    key: (at) => `Khoá của ${at} bị thiếu hoặc hỏng: khoá dài 43 ký tự. Hãy chép cả liên kết.`,
    twice: (at) => `Loa ${at} có hai lần.`,
    many: (at) => `${at} loa là quá nhiều: một trang hiện 50 loa.`,
  },
  replace: (stored, given) => `Thiết bị này là loa ${stored}. Đổi thành ${given}?`,
  replaceHelp: 'Loa cũ sẽ im lặng. Mở lại liên kết của nó để quay về.',
  replaceYes: (given) => `Đổi thành ${given}`,
  replaceNo: (stored) => `Giữ ${stored}`,
  otherKey: (serial) => `Thiết bị này là loa ${serial}, với khoá khác. Dùng khoá của liên kết này?`,
  otherKeyHelp: 'Với khoá của một liên kết cũ, máy chủ sẽ từ chối loa.',
  otherKeyYes: 'Dùng khoá của liên kết này',
  otherKeyNo: 'Giữ khoá hiện có',
  insecure: 'Địa chỉ này không an toàn',
  insecureHelp: 'Hãy mở trang bằng https. Http chỉ dùng được trên chính máy chủ, với http://localhost.',
  failed: 'Loa không khởi động được',
  failedHelp: 'Hãy tải lại trang',
  more: (shown, all) => `${shown} trong ${all} loa`,
}

export function pageWordsOf(lang: Language): PageWords {
  return lang === 'vi' ? VI : EN
}

/** The language of the browser, as far as the speaker knows it. */
export function browserLanguage(): Language {
  return navigator.language.toLowerCase().startsWith('en') ? 'en' : 'vi'
}
