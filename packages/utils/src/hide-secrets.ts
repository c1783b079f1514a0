/*
 * URLs and places that a user names may hold passwords and tokens, and messages end in logs. What is refused can have
 * any form, so these do not parse: they leave out whatever can be a secret.
 */

/** What stands for what is left out. */
const HIDDEN = '***'

/**
 * A scheme, the slashes of a URL without one, or the protocol that a multiaddr begins with. `user:password@host` begins
 * with none.
 */
const BEGIN = /^(?:[a-z][a-z\d+.-]*:[\\/]+|(?:ftps?|https?|s3|wss?):|[\\/]{2}|\/[a-z\d]+\/)/i
/** Percent-encoded once or more often, too. */
const USER = /^.*(?:@|%(?:25)*40)/is
const QUERY = /([?#]|%(?:25)*(?:3f|23)).+$/is
/** A host, and behind its colon what is no port: a password whose host is missing. Not an IPv6 address. */
const NO_PORT = /^(?![\da-fA-F]{1,4}(?::[\da-fA-F]{0,4}){2,7}(?:[/%]|$))([^\\/:[\]]+):(?!\d{0,5}(?:[\\/]|$))[^\\/]*/
/**
 * A URL rather than a path: a scheme with slashes. Or credentials: a colon in the first segment, and an `@`, with or
 * without the two slashes of a URL.
 */
const IS_URL = /^(?:[a-z][a-z\d+.-]*:[\\/]|(?:[\\/]{2})?[^\\/]*(?::|%(?:25)*3a).*(?:@|%(?:25)*40))/is
/** A multiaddr with credentials. */
const IS_MULTIADDR = /^\/(?:dns[46]?|dnsaddr|ip[46])\/.*(?:@|%(?:25)*40)/is
/** The name of a parameter. Its length is limited, because text from clients is logged. */
const NAME = '[\\w.-]{0,64}(?:auth|credential|key|pass|pw|secret|sess|sig|token)[\\w.-]{0,64}'
const PARAMETER = new RegExp(`((?:^|[/;&,])${NAME}=)[^/;&,]+`, 'gi')

/**
 * The URL, multiaddr or address that a user has named, for a message: without a user name, a password, a query and a
 * fragment. What follows an `@` is shown, as a host that can be recognised.
 */
export function hideSecrets (text: string): string {
  const [begin = ''] = BEGIN.exec(text) ?? []
  const rest = text.slice(begin.length)
  const host = rest.replace(USER, `${HIDDEN}@`)
  const isAddress = begin.startsWith('/')

  return begin + (host === rest && !isAddress ? rest.replace(NO_PORT, `$1:${HIDDEN}`) : host)
    .replace(QUERY, `$1${HIDDEN}`)
    .replace(PARAMETER, `$1${HIDDEN}`)
}

/** The same for a text that may also be the path of a file, a CID or a name: these stay as they are. */
export function hidePlaceSecrets (text: string): string {
  return isUrlLike(text) ? hideSecrets(text) : text
}

/** Whether a text is a URL, or credentials and a host, rather than a path. */
export function isUrlLike (text: string): boolean {
  return IS_URL.test(text) || IS_MULTIADDR.test(text)
}

/**
 * A message without user names and passwords of URLs, and without parameters whose names say that they are secret. A
 * URL that was taken for a path has one slash left.
 */
export function hideSecretsIn (message: string): string {
  return message
    .replaceAll(/(\b[a-z][a-z\d+.-]{0,31}:(?:[\\/]{2}|[\\/](?=[^\s\\/?#"'<>:@]*:)))[^\s\\/?#"'<>]*@/gi, `$1${HIDDEN}@`)
    .replaceAll(new RegExp(`([?&;]${NAME}=)[^\\s&;"'<>)]+`, 'gi'), `$1${HIDDEN}`)
}

/**
 * A message that may repeat what a user typed: also without secrets in arguments that are URLs, as they were given, and
 * as they look when they were taken for paths. A repo `user:password@host` is a directory below the present one.
 *
 * @param given - arguments, and values of options, also as `--option=value`
 */
export function hideGivenIn (message: string, given: readonly string[]): string {
  let shown = message

  for (const arg of given.map(arg => arg.replace(/^--[\w-]+=/, '')).filter(isUrlLike)) {
    for (const form of formsOf(arg)) {
      shown = shown.replaceAll(form, () => hideSecrets(form))
    }
  }

  return hideSecretsIn(shown)
}

/** An argument as it is, and as part of a normalized path. */
function formsOf (arg: string): string[] {
  const path = arg.replaceAll(/[\\/]+/g, '/').replace(/^\//, '')

  return [arg, path, path.replace(/\/$/, '')].filter(form => form !== '')
}
