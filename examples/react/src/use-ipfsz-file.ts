import { GatewayPool } from '@ipfsz/core/http'
import { createContext, use, useEffect, useState } from 'react'
import { readFile } from './read-file.ts'

/** What a hook can make of a file. */
interface FileForms {
  bytes: Uint8Array<ArrayBuffer>
  /** Decoded as UTF-8. */
  text: string
  /** Of a Blob, for `src` and `href`. It is revoked when the component is removed, or shows another file. */
  url: string
}

export type FileForm = keyof FileForms

export type IpfszFile<Value> =
  | { status: 'loading', received: number, size: number | undefined }
  | { status: 'ready', value: Value }
  | { status: 'failed', error: Error, retry: () => void }

export interface IpfszFileOptions {
  /** Of the file, if the CID is that of a directory. */
  path?: string
  /** The media type of a `url`. */
  type?: string
  /**
   * In bytes. A larger file fails with a FileTooLargeError.
   *
   * @default 67108864
   */
  maxSize?: number
}

/** The gateways that the hooks ask. All components share what is known of them. */
export const GatewayPoolContext = createContext(new GatewayPool(['https://trustless-gateway.link']))

/**
 * Read a file of IPFS, decompressed and verified. Reading ends when the component is removed, or asks for another file.
 *
 * @param as - the form of its value
 */
export function useIpfszFile<Form extends FileForm> (
  cid: string,
  as: Form,
  { path, type, maxSize }: IpfszFileOptions = {}
): IpfszFile<FileForms[Form]> {
  const pool = use(GatewayPoolContext)
  const [attempt, setAttempt] = useState(0)
  const key = JSON.stringify([cid, as, path, type, maxSize, attempt])
  const [found, setFound] = useState<{ key: string, file: IpfszFile<FileForms[Form]> }>()

  useEffect(() => {
    const unneeded = new AbortController()
    const { signal } = unneeded
    const show = (file: IpfszFile<FileForms[Form]>): void => {
      if (!signal.aborted) {
        setFound({ key, file })
      }
    }
    let url: string | undefined

    const read = async (): Promise<void> => {
      const bytes = await readFile(cid, {
        pool,
        path,
        maxSize,
        signal,
        onProgress: (received, size) => { show({ status: 'loading', received, size }) }
      })

      signal.throwIfAborted()
      const forms: { [Name in FileForm]: () => FileForms[Name] } = {
        bytes: () => bytes,
        text: () => new TextDecoder().decode(bytes),
        url: () => (url = URL.createObjectURL(new Blob([bytes], type == null ? {} : { type })))
      }

      show({ status: 'ready', value: forms[as]() })
    }

    read().catch((error: Error) => {
      show({ status: 'failed', error, retry: () => { setAttempt(attempt + 1) } })
    })

    return () => {
      unneeded.abort()

      if (url != null) {
        URL.revokeObjectURL(url)
      }
    }
    // the key names all else
  }, [key, pool])

  // until the effect runs, what was found is that of another file
  return found?.key === key ? found.file : { status: 'loading', received: 0, size: undefined }
}
