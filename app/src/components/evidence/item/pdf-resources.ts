import dingbatsUrl from 'pdfjs-dist/standard_fonts/FoxitDingbats.pfb?url';
import symbolUrl from 'pdfjs-dist/standard_fonts/FoxitSymbol.pfb?url';
import jbig2Url from 'pdfjs-dist/wasm/jbig2.wasm?url';
import jpeg2000Url from 'pdfjs-dist/wasm/openjpeg.wasm?url';

/**
 * Files that pages of a PDF may need: the two fonts of symbols that systems lack, and the decoders of scans. They are loaded when
 * a page needs them. The 168 tables of Asian encodings (1.6 MB) are left out: files of the last twenty years seldom need them.
 */
const RESOURCES: ReadonlyMap<string, string> = new Map([
  ['FoxitDingbats.pfb', dingbatsUrl],
  ['FoxitSymbol.pfb', symbolUrl],
  ['jbig2.wasm', jbig2Url],
  ['openjpeg.wasm', jpeg2000Url],
]);

/** A `BinaryDataFactory` of pdf.js. It calls `onMissing` when it cannot load a file. */
export const pdfResources = (onMissing: () => void) =>
  class {
    async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
      const url = RESOURCES.get(filename);
      try {
        if (url === undefined) throw new Error(`${filename}: expected a file of the application`);
        const response = await fetch(url);
        if (!response.ok) throw new Error(`${filename}: ${response.status}`);
        return new Uint8Array(await response.arrayBuffer());
      } catch (error) {
        onMissing();
        throw error;
      }
    }
  };
