// The bundled panels of Web/inspector: see Web/inspector/src/link/cache.ts.

declare module "@tidemark/client/panels" {
  export function mountPanels(element: HTMLElement, cache: {
    perform(
      method: string, params: string, tell: (method: string, params: string) => void,
      reply: (result: string, error: { readonly code: string; readonly message: string; } | null) => void,
    ): void;
    onNotification(handler: (method: string, params: string) => void): () => void;
  }): () => void;
}
