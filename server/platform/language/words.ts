// Runs in the hub and in the documentation's pages, so it uses only what browsers have.

/**
 * The languages of the console and of the pages for partners, each by its own name. The API, the logs and the command line are English.
 *
 * The same word each time, in the terms of Vietnamese banks and payment processors:
 *
 * - the tone of oa, oe and uy is on the last letter: khoá, hoá đơn, xoá, huỷ
 * - speaker, device: loa (thông báo); to speak, to announce: đọc; announcement: câu thông báo
 * - shop, store: cửa hàng; till, terminal: quầy; operator of the hub: đơn vị vận hành hub; partner: đối tác
 * - payment: khoản thanh toán; transaction: giao dịch; processor: đơn vị xử lý thanh toán; amount: số tiền; bill: hoá đơn
 * - dynamic, static QR: mã QR động, mã QR tĩnh; transaction code: mã giao dịch; verification code: mã xác minh
 * - callback: callback (gọi lại), and after that callback; webhook, token, hub, serial (số serial): as they are
 * - client secret, secret: khoá bí mật; key of a MAC: khoá; signature: chữ ký; to sign: ký; checksum: checksum
 * - locked: bị khoá; played: đã đọc; missed: bị lỡ; statement of a bank: sao kê; to sign off: ký xác nhận; to revoke: thu hồi
 * - field: trường; string: chuỗi; body: phần thân; header: header; white space: khoảng trắng; line break: dấu xuống dòng
 * - your code: chương trình của bạn; to repeat, to retry: gửi lại; to refuse: từ chối; to verify: xác thực; event: sự kiện; receiver: chương trình nhận
 */
export const LANGUAGES = { en: 'English', vi: 'Tiếng Việt' } as const

export type Language = keyof typeof LANGUAGES
/** Object.keys widens the type of the codes. */
export const LANGUAGE_CODES = Object.keys(LANGUAGES) as readonly Language[]

/** A text in every language: without one of them it does not compile. */
export type Words<T = string> = Readonly<Record<Language, T>>

/** Takes the text in one language. */
export type Say = <T>(words: Words<T>) => T

export const sayIn =
  (language: Language): Say =>
  (words) =>
    words[language]

export const inEnglish = sayIn('en')
