import type { Words } from '../../platform/language/words.ts'
import { say } from './shared/say.ts'

/** The words of Swagger UI that this page shows. Swagger UI has no languages of its own. */
const SWAGGER_WORDS: readonly Words[] = [
  { en: 'Authorize', vi: 'Nhập token' },
  { en: 'Available authorizations', vi: 'Các cách xác thực' },
  { en: 'Authorized', vi: 'Đã nhập token' },
  { en: 'Logout', vi: 'Xoá token' },
  { en: 'Close', vi: 'Đóng' },
  { en: 'Value:', vi: 'Giá trị:' },
  { en: 'Name', vi: 'Tên' },
  { en: 'Description', vi: 'Mô tả' },
  { en: 'Type', vi: 'Kiểu' },
  { en: 'Parameters', vi: 'Tham số' },
  { en: 'No parameters', vi: 'Không có tham số' },
  { en: 'Request body', vi: 'Phần thân của yêu cầu' },
  { en: 'Send empty value', vi: 'Gửi giá trị rỗng' },
  { en: 'Try it out', vi: 'Gọi thử' },
  { en: 'Cancel', vi: 'Huỷ' },
  { en: 'Reset', vi: 'Đặt lại' },
  { en: 'Execute', vi: 'Gửi yêu cầu' },
  { en: 'Clear', vi: 'Xoá kết quả' },
  { en: 'Examples:', vi: 'Ví dụ:' },
  { en: 'Examples', vi: 'Ví dụ' },
  { en: 'Edit Value', vi: 'Sửa giá trị' },
  { en: 'Example Value', vi: 'Giá trị ví dụ' },
  { en: 'Schema', vi: 'Cấu trúc' },
  { en: 'Schemas', vi: 'Cấu trúc dữ liệu' },
  { en: 'Responses', vi: 'Các câu trả lời' },
  { en: 'Server response', vi: 'Câu trả lời của hub' },
  { en: 'Response body', vi: 'Phần thân của câu trả lời' },
  { en: 'Response headers', vi: 'Header của câu trả lời' },
  { en: 'Request URL', vi: 'Địa chỉ của yêu cầu' },
  { en: 'Request duration', vi: 'Thời gian' },
  { en: 'Curl', vi: 'Lệnh curl' },
  { en: 'Download', vi: 'Tải xuống' },
  { en: 'Code', vi: 'Mã' },
  { en: 'Details', vi: 'Chi tiết' },
  { en: 'Links', vi: 'Liên kết' },
  { en: 'No links', vi: 'Không có liên kết' },
  { en: 'Media type', vi: 'Kiểu dữ liệu' },
  { en: 'Media Type', vi: 'Kiểu dữ liệu' },
  { en: 'Controls', vi: 'Đặt' },
  { en: 'header.', vi: 'cho header của yêu cầu.' },
  { en: 'Headers:', vi: 'Các header:' },
  { en: 'Undocumented', vi: 'Không có trong tài liệu' },
  { en: 'Collapse operation', vi: 'Thu gọn thao tác' },
  { en: 'Expand operation', vi: 'Mở rộng thao tác' },
  { en: 'Copy path to clipboard', vi: 'Chép đường dẫn' },
  { en: 'Copy to clipboard', vi: 'Chép' },
  { en: 'Copy cURL command to clipboard', vi: 'Chép lệnh curl' },
  { en: 'Copy code to clipboard', vi: 'Chép mã' },
  { en: 'authorization button locked', vi: 'đã có token' },
  { en: 'authorization button unlocked', vi: 'chưa có token' },
  { en: 'Request content type', vi: 'Kiểu dữ liệu của yêu cầu' },
]

/** The attributes that have words. */
const ATTRIBUTES = ['title', 'aria-label', 'placeholder']

type CreateElement = (type: unknown, props: Record<string, unknown> | null, ...children: unknown[]) => unknown

/** Makes Swagger UI's React say the words of Swagger UI in the page's language. Texts of the document stay as they are. */
export function translateSwagger(React: { createElement: CreateElement }) {
  const words = new Map(SWAGGER_WORDS.map((one) => [one.en, say(one)]))
  const translated = (text: unknown) => (typeof text === 'string' ? (words.get(text.trim()) ?? text) : text)
  const create = React.createElement
  React.createElement = (type, props, ...children) => {
    const attributes = ATTRIBUTES.filter((name) => props && name in props)
    const changed = Object.fromEntries(attributes.map((name) => [name, translated(props?.[name])]))
    return create(type, attributes.length > 0 ? { ...props, ...changed } : props, ...children.map(translated))
  }
}
