/** The pixels of a picture: a canvas decodes and scales it, and they are packed to be sent. */

import { Fault, where } from "../ask/ask";

export interface Pixels {
  width: number;
  height: number;
  /** Red, green, blue and alpha by row, deflated, in base64. */
  pixels: string;
}

/** Python in a browser is slow, and digits can be read in less. */
const MOST_PIXELS = where === "browser" ? 900_000 : 2_500_000;
const MOST_FILE_BYTES = 2 ** 25;
/** A picture that is too long to be sent is scaled by this, again and again: noise packs badly. */
const SMALLER = 0.8;
const LEAST_SIDE = 100;

/** Returns the pixels, packed into at most `limit` characters. Rejects with a Fault. */
export async function pixelsOf(file: Blob, limit: number): Promise<Pixels> {
  if (file.size > MOST_FILE_BYTES) throw new Fault("usage", "The picture is too large for a screenshot.");
  const image = await createImageBitmap(file).catch(() => {
    throw new Fault("usage", "The browser cannot read this picture.");
  });
  const most = Math.min(1, Math.sqrt(MOST_PIXELS / (image.width * image.height)));
  for (let scale = most; ; scale *= SMALLER) {
    const width = Math.floor(image.width * scale);
    const height = Math.floor(image.height * scale);
    if (Math.min(width, height) < LEAST_SIDE)
      throw new Fault("usage", "The picture is too small, or it is not a screenshot.");
    const canvas = canvasOf(width, height);
    canvas.fillStyle = "white";
    canvas.fillRect(0, 0, width, height);
    canvas.imageSmoothingQuality = "high";
    canvas.drawImage(image, 0, 0, width, height);
    const pixels = await packed(canvas.getImageData(0, 0, width, height).data);
    if (pixels.length <= limit) return { width, height, pixels };
  }
}

function canvasOf(width: number, height: number): CanvasRenderingContext2D {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  return canvas.getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
}

async function packed(data: Uint8ClampedArray): Promise<string> {
  const stream = new Blob([new Uint8Array(data)]).stream().pipeThrough(new CompressionStream("deflate"));
  const url = await new Promise<string>((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    void new Response(stream).blob().then((blob) => reader.readAsDataURL(blob));
  });
  return url.slice(url.indexOf(",") + 1);
}
