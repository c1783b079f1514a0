import { defineConfig } from 'vite'
import { ipfszSite } from './ipfsz-site.ts'

export default defineConfig({
  build: { rolldownOptions: { input: ['index.html', 'about/index.html'] } },
  plugins: [ipfszSite({ keep: ['/about/', '*.css'] })]
})
