// Room: the XML of S3, written and parsed within bounds.
import { printable } from './error.ts'
import { childrenOf, parseAnswer, textOf } from './parse.ts'

/** An object that could not be deleted. */
export interface DeleteFailure {
  key: string
  code: string
  message: string
}

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** The body of a request to delete objects. Those that are deleted are not listed in its answer. */
export function writeDelete (keys: readonly string[]): Uint8Array {
  const objects = keys.map(key => `<Object><Key>${key.replaceAll(/[&<>]/g, char => ESCAPES[char])}</Key></Object>`)

  return Buffer.from(`<Delete xmlns="${NAMESPACE}">${objects.join('')}<Quiet>true</Quiet></Delete>`)
}

/**
 * @returns the objects that could not be deleted. One that does not exist is fine.
 * @throws {Error} it is no such answer
 */
export function parseDeleted (body: Uint8Array): DeleteFailure[] {
  const root = parseAnswer(new TextDecoder().decode(body), 'DeleteResult')

  return childrenOf(root, 'Error').map(error => ({
    key: printable(textOf(error, 'Key') ?? ''),
    code: printable(textOf(error, 'Code') ?? ''),
    message: printable(textOf(error, 'Message') ?? '')
  })).filter(({ code }) => code !== 'NoSuchKey')
}
