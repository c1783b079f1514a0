import { useState } from 'react'
import { useIpfszFile } from './use-ipfsz-file.ts'
import type { FormEvent, ReactNode } from 'react'
import type { IpfszFile } from './use-ipfsz-file.ts'

type View = 'text' | 'picture'

interface Shown {
  cid: string
  path: string
  view: View
}

/** A form for a CID, and the file that it names. */
export function App (): ReactNode {
  const [shown, setShown] = useState<Shown>()

  const show = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [cid = '', ...names] = String(form.get('address')).trim().split('/')

    setShown({ cid, path: names.join('/'), view: form.get('view') as View })
  }

  return (
    <main>
      <h1>A file of IPFS</h1>
      <form onSubmit={show}>
        <label>CID or CID/path <input name="address" required size={70} /></label>
        <label>as <select name="view"><option>text</option><option>picture</option></select></label>
        <button>Show</button>
      </form>
      {shown?.view === 'text' && <TextFile {...shown} />}
      {shown?.view === 'picture' && <Picture {...shown} />}
    </main>
  )
}

function TextFile ({ cid, path }: Shown): ReactNode {
  const file = useIpfszFile(cid, 'text', { path })

  return file.status === 'ready' ? <pre>{file.value}</pre> : <Waiting file={file} />
}

function Picture ({ cid, path }: Shown): ReactNode {
  const file = useIpfszFile(cid, 'url', { path })

  return file.status === 'ready' ? <img src={file.value} alt="" /> : <Waiting file={file} />
}

function Waiting ({ file }: { file: Exclude<IpfszFile<unknown>, { status: 'ready' }> }): ReactNode {
  if (file.status === 'loading') {
    // without a value, the bar shows that something goes on
    return <progress aria-label="Loading" max={file.size} value={file.size == null ? undefined : file.received} />
  }

  return (
    <p role="alert">
      {file.error.name}: {file.error.message} <button onClick={file.retry}>Try again</button>
    </p>
  )
}
