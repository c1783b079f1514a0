import { GatewayPool } from '@ipfsz/core/http'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { GatewayPoolContext } from './use-ipfsz-file.ts'

const gateway: string = import.meta.env.VITE_GATEWAY ?? 'https://trustless-gateway.link'

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <GatewayPoolContext value={new GatewayPool([gateway])}>
      <App />
    </GatewayPoolContext>
  </StrictMode>
)
