import { InvalidPathError, InvalidRedirectsFileError } from '../errors.ts'
import { decodePath } from '../request/url-path.ts'
import { matchRedirect } from './match-redirect.ts'
import { MAX_REDIRECTS_FILE_SIZE } from './redirects-file.ts'
import { resolvePath } from './resolve-path.ts'
import { resolveRoot } from './resolve-root.ts'
import type { Target } from '../request/target.ts'
import type { OpenedFile } from './opened-file.ts'
import type { ParsedRedirects } from './parsed-redirects.ts'
import type { PathComponents } from './resolve-path.ts'
import type { RedirectRule, RedirectStatus, RewriteStatus } from './redirects-file.ts'
import type { ContentRoot } from './resolve-root.ts'

/** The name of the page that a website has for paths that do not exist, from before `_redirects`. */
const LEGACY_NOT_FOUND_PAGE = 'ipfs-404.html'

/** What is needed to find a redirect. */
export interface RedirectComponents extends PathComponents {
  redirects: ParsedRedirects
}

/** What is answered in place of a path that does not exist. */
export type Redirection =
  /** Send the client there. */
  | { status: RedirectStatus, location: string }
  /** Resolve and serve this target, with that status. */
  | { status: RewriteStatus, target: Target }

/**
 * What the website's `_redirects` file has for a path that does not exist, or else the nearest
 * `ipfs-404.html` above it, which counts below the path of a CID, too. Undefined: neither, so answer with the error.
 *
 * Call it when `resolvePath` threw an EntryNotFoundError, and never for what exists
 * (specs.ipfs.tech/http-gateways/web-redirects-file, "No Forced Redirects").
 *
 * @param root - what `resolveRoot` returned for the target, if it was called before
 * @throws {InvalidRedirectsFileError}
 */
export async function redirectOf (
  target: Target,
  components: RedirectComponents,
  signal: AbortSignal,
  root?: ContentRoot
): Promise<Redirection | undefined> {
  // paths of a rule begin at the root, so the root must be that of the origin
  const isOrigin = target.origin != null || target.dnsLinkHost != null
  const rules = isOrigin ? await readRedirects(target, components, signal, root) : []
  const match = matchRedirect(rules, target.path, target.rawPath, target.search)

  if (match == null) {
    return legacyPageOf(target, components, signal, root)
  }

  return 'location' in match ? match : { status: match.status, target: rewrite(target, match.path) }
}

/** The rules of the site: none if it has no such file. */
async function readRedirects (
  target: Target,
  components: RedirectComponents,
  signal: AbortSignal,
  root: ContentRoot | undefined
): Promise<readonly RedirectRule[]> {
  try {
    const { cid, file } = await resolvePath({ ...target, path: ['_redirects'] }, components, signal, root)

    if (file == null) {
      throw new InvalidRedirectsFileError('it is not a file')
    }

    return await components.redirects.rulesOf(cid, async () => readText(file, signal)).finally(() => { file.close() })
  } catch (err) {
    signal.throwIfAborted()

    if (isNoEntry(err)) {
      return []
    }

    throw err instanceof InvalidRedirectsFileError
      ? err
      : new InvalidRedirectsFileError('the file cannot be read', { cause: err })
  }
}

async function readText (file: OpenedFile, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0

  for await (const bytes of file.read({ length: MAX_REDIRECTS_FILE_SIZE + 1, signal })) {
    size += bytes.byteLength

    if (size > MAX_REDIRECTS_FILE_SIZE) {
      throw new InvalidRedirectsFileError(`redirects file size cannot exceed ${MAX_REDIRECTS_FILE_SIZE} bytes`)
    }

    text += decoder.decode(bytes, { stream: true })
  }

  return text + decoder.decode()
}

/** The target of another path below the same root. A directory there is served by its `index.html`. */
function rewrite (target: Target, path: string): Target {
  try {
    return { ...target, path: decodePath(path, path), trailingSlash: true }
  } catch (err) {
    throw err instanceof InvalidPathError
      ? new InvalidRedirectsFileError('the path of a rule is invalid', { cause: err })
      : err
  }
}

/** Looks in every directory on the path, from the root down, so that none is resolved twice. */
async function legacyPageOf (
  target: Target,
  components: PathComponents,
  signal: AbortSignal,
  root: ContentRoot | undefined
): Promise<Redirection | undefined> {
  const find = async (name: string, directory: ContentRoot): Promise<ContentRoot | undefined> => {
    try {
      return { cid: (await resolvePath({ ...target, path: [name] }, components, signal, directory)).cid, path: [] }
    } catch (err) {
      if (isNoEntry(err)) {
        return undefined
      }

      throw err
    }
  }

  let directory: ContentRoot | undefined = root ?? await resolveRoot(target, components, signal)
  let path: string[] | undefined

  for (let depth = 0; depth < target.path.length && directory != null; depth++) {
    if (await find(LEGACY_NOT_FOUND_PAGE, directory) != null) {
      path = [...target.path.slice(0, depth), LEGACY_NOT_FOUND_PAGE]
    }

    directory = await find(target.path[depth], directory)
  }

  return path == null ? undefined : { status: 404, target: { ...target, path, trailingSlash: false } }
}

/** Whether there is no such file or directory: nothing has the name, or it is that of a value in a document. */
function isNoEntry (err: unknown): boolean {
  return err instanceof Error && (err.name === 'EntryNotFoundError' || err.name === 'PathInDocumentError')
}
