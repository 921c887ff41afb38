/** Put in by the build: the package's version and a short hash of the sources, "0.1.0+3fa29c1b". */
declare const __APP_VERSION__: string;
