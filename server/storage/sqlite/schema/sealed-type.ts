import { customType } from 'drizzle-orm/sqlite-core'

/** Its own type tells a sealed column from a hash. */
const sealedBlob = customType<{ data: Buffer }>({ dataType: () => 'blob' })

export const sealed = (name: string) => sealedBlob(name).notNull()
