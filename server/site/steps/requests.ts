import type { ErrorName } from '../../platform/errors.ts'
import type { Words } from '../../platform/language/words.ts'
import type { RequestName } from '../parts/code.ts'
import { type Html, html } from '../parts/html.ts'

/** Errors that readers often get, and what to do about each. */
export type Refusals = Partial<Record<ErrorName, Words<Html | string>>>

/** One POST request of the quickstart. */
export interface Step {
  /** Its anchor. */
  name: string
  sample: RequestName
  title: Words
  path: string
  /** Its effect in two or three sentences. */
  text: Words<Html>
  status: 200 | 201
  /** Strings may contain {{PLACEHOLDERS}}. */
  answer: object
  refusals: Refusals
  /** What the next step needs of this one. */
  next: Words<Html>
}

const token: Step = {
  name: 'token',
  sample: 'get_token',
  title: { en: 'Get an access token', vi: 'Lấy access token' },
  path: '/api/v1/partner/auth/token',
  text: {
    en: html`<p>Exchange your client id and client secret for an access token. It identifies you in every other request for an hour; the refresh token gets the next one without the secret. Do this on your server: the secret also signs payments, so keep it out of apps and browsers.</p>`,
    vi: html`<p>Đổi client id và khoá bí mật (client secret) lấy access token. Trong một giờ, token này cho biết bạn là ai trong mọi yêu cầu khác; refresh token lấy token tiếp theo mà không cần khoá bí mật. Hãy làm việc này trên máy chủ của bạn: khoá bí mật cũng dùng để ký các khoản thanh toán, nên đừng để nó trong ứng dụng hay trình duyệt.</p>`,
  },
  status: 200,
  answer: {
    accessToken: '{{TOKEN}}',
    tokenType: 'Bearer',
    expiresIn: 3600,
    refreshToken: 'sbr_pXq0Zr3kUu0mJ1l0rJt2uYw4C8bC5nN7d6hVq9sKf2E',
    refreshExpiresIn: 2592000,
  },
  refusals: {
    INVALID_CLIENT: {
      en: html`Compare both with the output of <code>partner create</code>. The secret is shown once; if it is lost, <code>npm run -s hub -- partner rotate-secret CLIENT_ID</code> creates a new one.`,
      vi: html`Đối chiếu cả hai với kết quả của lệnh <code>partner create</code>. Khoá bí mật chỉ hiện một lần; nếu làm mất, lệnh <code>npm run -s hub -- partner rotate-secret CLIENT_ID</code> tạo khoá mới.`,
    },
    TOO_MANY_LOGIN_FAILURES: {
      en: html`Ten wrong secrets came within five minutes. The right one is never refused because of wrong ones, so this one is wrong, too: compare it.`,
      vi: html`Trong vòng năm phút đã có mười lần gửi sai khoá bí mật. Khoá đúng không bao giờ bị từ chối vì những lần sai khác, nên khoá này cũng sai: hãy đối chiếu lại.`,
    },
    UNSUPPORTED_MEDIA_TYPE: {
      en: html`Send <code>Content-Type: application/json</code>. By default, curl sends a form.`,
      vi: html`Gửi <code>Content-Type: application/json</code>. Mặc định, curl gửi dạng form.`,
    },
  },
  next: {
    en: html`Copy <code>accessToken</code> into <a href="#values">your values</a>.`,
    vi: html`Chép <code>accessToken</code> vào <a href="#values">giá trị của bạn</a>.`,
  },
}

const code: Step = {
  name: 'code',
  sample: 'show_code',
  title: { en: 'Show a code on the speaker', vi: 'Hiện mã xác minh trên loa' },
  path: '/api/v1/partner/device/send-verification',
  text: {
    en: html`<p>Six digits appear on the speaker’s screen. Reading them proves that you stand in front of the speaker, and that it is online with a working screen. So the code is only on the screen, in no response, log or list. It is valid for five minutes, and a speaker shows at most three codes in fifteen minutes.</p>`,
    vi: html`<p>Sáu chữ số hiện trên màn hình của loa. Đọc được chúng chứng tỏ bạn đang đứng trước loa, loa đang trực tuyến và màn hình hoạt động. Vì vậy mã xác minh chỉ có trên màn hình, không có trong câu trả lời, nhật ký hay danh sách nào. Mã có hiệu lực trong năm phút, và mỗi loa hiện nhiều nhất ba mã trong mười lăm phút.</p>`,
  },
  status: 200,
  answer: {
    deviceSerial: '{{SERIAL}}',
    channel: 'screen',
    expiresIn: 300,
    expiresAt: '2026-01-15T03:15:00.000Z',
    codesRemaining: 2,
    windowResetsAt: '2026-01-15T03:25:00.000Z',
  },
  refusals: {
    INVALID_TOKEN: {
      en: html`The header is <code>Authorization: Bearer</code>, a space, and the access token, not the refresh token. An expired one is <code>40102</code>: get a new one.`,
      vi: html`Header là <code>Authorization: Bearer</code>, một dấu cách, rồi access token chứ không phải refresh token. Token hết hạn thì nhận <code>40102</code>: hãy lấy token mới.`,
    },
    BODY_DEVICE_NOT_FOUND: {
      en: html`No speaker has this serial, or it is registered to another partner. <code>npm run -s hub -- device list</code> shows those of this hub.`,
      vi: html`Không có loa nào mang số serial này, hoặc loa đã được đăng ký cho đối tác khác. Lệnh <code>npm run -s hub -- device list</code> liệt kê các loa của hub này.`,
    },
    DEVICE_OFFLINE: {
      en: 'Switch the speaker on and try again. Nothing was counted.',
      vi: 'Bật loa lên rồi thử lại. Chưa có gì bị tính.',
    },
    VERIFICATION_QUOTA: {
      en: html`Three codes were shown within fifteen minutes. Wait until <code>windowResetsAt</code>; <code>Retry-After</code> has the seconds.`,
      vi: html`Đã hiện ba mã trong vòng mười lăm phút. Hãy chờ đến <code>windowResetsAt</code>; <code>Retry-After</code> cho biết số giây.`,
    },
    DEVICE_NOT_RESPONDING: {
      en: 'The speaker is connected, but did not confirm within five seconds. Try again. Nothing was counted.',
      vi: 'Loa đã kết nối, nhưng không xác nhận trong vòng năm giây. Hãy thử lại. Chưa có gì bị tính.',
    },
  },
  next: {
    en: html`Read the code off the speaker and type it into <a href="#values">your values</a>. You have five minutes.`,
    vi: html`Đọc mã trên loa rồi gõ vào <a href="#values">giá trị của bạn</a>. Bạn có năm phút.`,
  },
}

const store = {
  id: '{{STORE_ID}}',
  storeName: 'Quán Cà Phê Sáng',
  ownerName: '',
  identityNumber: '',
  bankName: '',
  bankCode: '{{BANK_CODE}}',
  bankAccountNumber: '0123456789',
  bankAccountName: 'NGUYEN VAN A',
  phoneNumber: '0901234567',
  terminalID: '{{TERMINAL_ID}}',
  terminalName: '',
  staticQRCode: '00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7',
  totalTransaction: '0',
  totalAmount: '0',
}

export const register: Step = {
  name: 'register',
  sample: 'register',
  title: { en: 'Register the speaker', vi: 'Đăng ký loa' },
  path: '/api/v1/partner/device/register',
  text: {
    en: html`<p>The code makes the speaker yours and links it to a store; the shop owner and the store are created if they do not exist. <code>terminalID</code> is your id of the till. Payment callbacks contain it, and the hub finds the store and its speakers by it. <code>staticQRCode</code> is the VietQR on the counter; dynamic codes are built from it.</p>`,
    vi: html`<p>Mã xác minh biến loa thành của bạn và gắn loa với một cửa hàng; chủ cửa hàng và cửa hàng được tạo nếu chưa có. <code>terminalID</code> là mã quầy do bạn đặt. Callback báo thanh toán mang mã này, và hub dựa vào đó để tìm cửa hàng cùng các loa của cửa hàng. <code>staticQRCode</code> là mã VietQR tĩnh đặt ở quầy; mã QR động được tạo từ mã đó.</p>`,
  },
  status: 201,
  answer: {
    userId: '6a1f4c9e-3d52-4f0a-9a53-0f6f5a0b7c11',
    store,
    device: {
      id: '0c8b2f64-7f0e-4a57-8a6e-52d0f1b9e3a4',
      serial: '{{SERIAL}}',
      deviceName: '{{SERIAL}}',
      active: true,
      connected: true,
      partnerClientId: '{{CLIENT_ID}}',
      rmCode: '',
      stores: [store],
    },
  },
  refusals: {
    VERIFICATION_CODE_INVALID: {
      en: 'One wrong guess ends the code, so that nobody can try all codes. Show a new one (step 2).',
      vi: 'Chỉ một lần gõ sai là mã hết hiệu lực, để không ai thử hết các mã được. Hãy hiện mã mới (bước 2).',
    },
    VERIFICATION_CODE_EXPIRED: {
      en: 'More than five minutes have passed. Show a new one (step 2).',
      vi: 'Đã quá năm phút. Hãy hiện mã mới (bước 2).',
    },
    VERIFICATION_CODE_NOT_FOUND: {
      en: 'The code was used, or a newer one has replaced it. Type the one on the screen.',
      vi: 'Mã đã được dùng, hoặc đã có mã mới hơn thay thế. Hãy gõ mã đang hiện trên màn hình.',
    },
    VALIDATION_FAILED: {
      en: html`<code>details</code> names every wrong field and the reason. Phone numbers, codes and amounts are JSON strings: <code>"0901234567"</code>.`,
      vi: html`<code>details</code> nêu tên từng trường sai và lý do. Số điện thoại, mã và số tiền là chuỗi JSON: <code>"0901234567"</code>.`,
    },
  },
  next: {
    en: html`Copy <code>store.id</code> into <a href="#values">your values</a>.`,
    vi: html`Chép <code>store.id</code> vào <a href="#values">giá trị của bạn</a>.`,
  },
}

/** The body of two responses: of this step and of the callback. */
const BILL = {
  id: 'f3b0a9d2-5d0c-4c66-9f3c-2e6f1b8d7a90',
  bankName: '',
  bankCode: '{{BANK_CODE}}',
  bankAccountNumber: '0123456789',
  bankAccountName: 'NGUYEN VAN A',
  qrcode: '00020101021238540010A0000007270124000697042201100123456789…',
  storeId: '{{STORE_ID}}',
  billNumber: '{{BILL_NUMBER}}',
}

const qr: Step = {
  name: 'qr',
  sample: 'show_qr',
  title: { en: 'Show a QR code for one bill', vi: 'Hiện mã QR cho một hoá đơn' },
  path: '/api/v1/partner/payment/dynamic-qr',
  text: {
    en: html`<p>The speaker’s screen shows a QR code with this bill’s number and amount, for fifteen minutes or until it is paid. Bill number and store identify the bill: the same request again gets the same record, and another amount changes an unpaid bill. Without <code>qrcode</code>, the hub builds the code from the store’s static QR.</p>`,
    vi: html`<p>Màn hình của loa hiện mã QR động có số hoá đơn và số tiền của hoá đơn này, trong mười lăm phút hoặc cho đến khi được thanh toán. Số hoá đơn và cửa hàng xác định hoá đơn: gửi lại đúng yêu cầu đó thì nhận lại bản ghi đó, còn số tiền khác sẽ thay đổi hoá đơn chưa thanh toán. Nếu không có <code>qrcode</code>, hub tạo mã QR từ mã QR tĩnh của cửa hàng.</p>`,
  },
  status: 201,
  answer: BILL,
  refusals: {
    BODY_STORE_NOT_FOUND: {
      en: html`<code>storeId</code> is <code>store.id</code> of step 3, not the terminal id.`,
      vi: html`<code>storeId</code> là <code>store.id</code> của bước 3, không phải mã quầy.`,
    },
    VALIDATION_FAILED: {
      en: html`<code>transactionAmount</code> is a JSON string of digits without a leading zero. If <code>details</code> names <code>qrcode</code>, the store has no valid static QR: send a code, or give the store a static QR.`,
      vi: html`<code>transactionAmount</code> là chuỗi JSON gồm các chữ số, không bắt đầu bằng chữ số không. Nếu <code>details</code> nêu <code>qrcode</code>, cửa hàng chưa có mã QR tĩnh hợp lệ: hãy gửi kèm mã QR, hoặc đặt mã QR tĩnh cho cửa hàng.`,
    },
    BILL_ALREADY_PAID: {
      en: 'This bill is already paid. Use another bill number.',
      vi: 'Hoá đơn này đã được thanh toán. Hãy dùng số hoá đơn khác.',
    },
    QR_AMOUNT_MISMATCH: {
      en: html`The <code>qrcode</code> that you sent contains another amount than <code>transactionAmount</code>.`,
      vi: html`<code>qrcode</code> mà bạn gửi có số tiền khác với <code>transactionAmount</code>.`,
    },
  },
  next: {
    en: html`The customer scans and pays. Then the payment processor calls.`,
    vi: html`Khách quét mã và thanh toán. Sau đó đơn vị xử lý thanh toán gọi đến.`,
  },
}

/** The fields of the sample payment that are not values of the reader. */
export const SAMPLE_PAYMENT = {
  notice: 'Bàn 5: cà phê & bánh mì *mang về*',
  payDate: '2026-01-15T10:15:30+07:00',
  traceTransfer: '104233',
}

const callback: Step = {
  name: 'callback',
  sample: 'report_payment',
  title: { en: 'Report the payment', vi: 'Báo khoản thanh toán' },
  path: '/api/v1/partner/payment/callback',
  text: {
    en: html`<p>The processor reports that money has arrived, and signs the report with the client secret. When the hub answers 200, the payment and its announcement are on disk, and the speaker says: “Đã nhận năm mươi nghìn đồng”. No answer, or another status? The table <a href="#after-callback">After a callback</a> says what to do. A callback that the hub already has is harmless: it gets the first response, with the header <code>Idempotent-Replayed: true</code>, and is neither spoken nor counted twice.</p>`,
    vi: html`<p>Đơn vị xử lý thanh toán báo rằng tiền đã đến bằng một callback (gọi lại), và ký nội dung báo bằng khoá bí mật. Khi hub trả lời 200, khoản thanh toán và câu thông báo đã được ghi xuống đĩa, và loa đọc: “Đã nhận năm mươi nghìn đồng”. Không có câu trả lời, hoặc nhận mã trạng thái khác? Bảng <a href="#after-callback">Sau một callback</a> cho biết phải làm gì. Gửi lại callback mà hub đã có thì không sao: bạn nhận lại câu trả lời đầu tiên, kèm header <code>Idempotent-Replayed: true</code>, và khoản thanh toán không bị đọc hay tính hai lần.</p>`,
  },
  status: 200,
  answer: BILL,
  refusals: {
    TOKEN_EXPIRED: {
      en: html`Get a new token, then send the same callback again. Do the same for <code>40101</code>, an invalid token. The payment is not recorded yet.`,
      vi: html`Lấy token mới, rồi gửi lại đúng callback đó. Với <code>40101</code>, token không hợp lệ, cũng làm như vậy. Khoản thanh toán chưa được ghi.`,
    },
    CHECKSUM_MISMATCH: {
      en: html`<code>details</code> names the mistake if it is a usual one. The <a href="#checksum">calculator below</a> shows where your string differs.`,
      vi: html`<code>details</code> nêu tên lỗi nếu đó là lỗi thường gặp. <a href="#checksum">Công cụ tính bên dưới</a> chỉ ra chỗ khác trong chuỗi của bạn.`,
    },
    TRANSACTION_CONFLICT: {
      en: html`This <code>ftCode</code> was reported with other content: another amount, bill or date. A retry must send the same body; another payment needs another transaction code.`,
      vi: html`<code>ftCode</code> này đã được báo với nội dung khác: số tiền, hoá đơn hoặc ngày khác. Lần gửi lại phải có cùng phần thân; khoản thanh toán khác cần mã giao dịch khác.`,
    },
    BODY_STORE_NOT_FOUND: {
      en: html`No store of yours has this <code>terminalID</code>. Use exactly the one of step 3.`,
      vi: html`Không có cửa hàng nào của bạn mang <code>terminalID</code> này. Hãy dùng đúng mã của bước 3.`,
    },
    VALIDATION_FAILED: {
      en: html`<code>details</code> names the fields. An amount must be a JSON string: <code>"50000"</code>, not <code>50000</code>.`,
      vi: html`<code>details</code> nêu tên các trường. Số tiền phải là chuỗi JSON: <code>"50000"</code>, không phải <code>50000</code>.`,
    },
  },
  next: {
    en: html`The speaker has said it. Now get the proof.`,
    vi: html`Loa đã đọc. Bây giờ hãy lấy bằng chứng.`,
  },
}

/** The requests from nothing to the first announced payment, in order. */
export const STEPS = [token, code, register, qr, callback] as const
