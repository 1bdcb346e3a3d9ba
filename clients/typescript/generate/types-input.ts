import { type Description, operationsOf, queryName, queryOf, type Schema } from './description.ts'

/** Keywords that a validator reads, and that a type does not have. */
const NOT_IN_TYPES = ['examples', 'format', 'pattern', 'minLength', 'maxLength', 'minItems', 'maxItems']

/**
 * The description that openapi-typescript reads: the schemas of all bodies, and a schema for each query. Paths are left
 * out: the client has a method for each.
 */
export function typesInput(description: Description): object {
  const { openapi, info } = description
  const queries = operationsOf(description)
    .filter((operation) => queryOf(operation).length > 0)
    .map((operation): [string, Schema] => [
      queryName(operation),
      {
        type: 'object',
        description: `Query parameters: ${operation.summary}.`,
        properties: Object.fromEntries(queryOf(operation).map(({ name, schema }) => [name, schema])),
      },
    ])
  const all = [...Object.entries(description.components.schemas), ...queries]
  const schemas = Object.fromEntries(all.map(([name, schema]) => [name, typeOnly(schema)]))
  return { openapi, info: { title: info.title, version: info.version }, paths: {}, components: { schemas } }
}

/** Alternatives that only say which fields are required: openapi-typescript makes `unknown` of them. */
const isConstraint = (schema: Schema) => schema.type === undefined && schema.$ref === undefined

function typeOnly(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(([key, value]) => {
    if (NOT_IN_TYPES.includes(key)) return false
    return !((key === 'anyOf' || key === 'oneOf') && (value as Schema[]).every(isConstraint))
  })
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'properties' ? propertiesOf(value as object) : inner(value)]),
  )
}

/** A property may have the name of a keyword. */
const propertiesOf = (properties: object) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, typeOnly(schema)]))

function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner)
  return typeof value === 'object' && value !== null ? typeOnly(value as Schema) : value
}
