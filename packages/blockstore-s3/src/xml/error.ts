import { parseAnswer, textOf } from './parse.ts'

/** What an error says. Other elements may hold the key that a request was signed with. */
export interface ErrorAnswer {
  code: string
  message: string
}

/** The longest code and message that get into one of our messages. */
const MAX_TEXT = 200
// oxlint-disable-next-line eslint/no-control-regex
const UNPRINTABLE = /[\u0000-\u001F\u007F-\u009F\u200E\u200F\u2028-\u202E\u2066-\u2069]+/g

/** Codes for answers without a body, as those to HEAD. */
const CODES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout'
}

/** @param body - of an answer with an error. A proxy's is HTML, or text. */
export function parseError (status: number, body: Uint8Array): ErrorAnswer {
  try {
    const root = parseAnswer(new TextDecoder().decode(body), 'Error')

    return {
      code: printable(textOf(root, 'Code') ?? codeOf(status)),
      message: printable(textOf(root, 'Message') ?? '')
    }
  } catch {
    return { code: codeOf(status), message: '' }
  }
}

/** Text from a store, fit for a terminal. */
export function printable (text: string): string {
  return text.replaceAll(UNPRINTABLE, ' ').trim().slice(0, MAX_TEXT)
}

function codeOf (status: number): string {
  return CODES[status] ?? `HTTP ${status}`
}
