import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { appVersion } from './building/app-version.ts';
import { firstScreenChunks } from './building/first-screen-chunks.ts';
import { keepBuilds } from './building/kept-builds.ts';

// In development the API comes from the server on loopback; in production that server serves these files.
const server = process.env['HOLDFAST_DEV_SERVER'] ?? 'http://localhost:4780';
const kept = keepBuilds();
const api = { target: server, headers: { origin: server } };

export default defineConfig({
  define: { __APP_VERSION__: JSON.stringify(appVersion()) },
  plugins: [
    svelte(),
    kept.plugin,
    VitePWA({
      strategies: 'injectManifest',
      srcDir: 'src/service-worker',
      filename: 'service-worker.ts',
      // We register it ourselves with workbox-window: an update is offered, never forced.
      injectRegister: null,
      registerType: 'prompt',
      injectManifest: {
        manifestTransforms: [kept.onlyThisBuild],
        globPatterns: ['**/*.{html,js,css,woff2,svg,png,webmanifest}'],
        // Letters of other scripts are loaded when a name needs them; until then the system's own are used.
        globIgnores: ['**/inter-{cyrillic,cyrillic-ext,greek,greek-ext,vietnamese}-*.woff2'],
      },
      manifest: {
        id: '/',
        name: 'Holdfast',
        short_name: 'Holdfast',
        description: 'Refunds approved by people, carried out exactly once, honestly reported.',
        start_url: '/',
        scope: '/',
        display: 'standalone',
        background_color: '#f7f4ef',
        theme_color: '#f7f4ef',
        categories: ['business', 'productivity'],
        icons: [
          { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
          { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
          { src: '/icons/icon-maskable-192.png', sizes: '192x192', type: 'image/png', purpose: 'maskable' },
          { src: '/icons/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
          { src: '/icons/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
        ],
      },
    }),
  ],
  // The same version for browsers of these years: smaller, and with the language's own `await`.
  resolve: { alias: [{ find: /^dexie$/, replacement: 'dexie/dist/modern/dexie.min.mjs' }] },
  build: {
    target: 'es2022',
    // What earlier builds left is sorted out after the new one is there.
    emptyOutDir: false,
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { groups: firstScreenChunks() } } },
  },
  server: {
    port: 4790,
    proxy: { '/v1': api, '/api': api, '/healthz': api },
  },
});
