import type { ShapeName } from '../books.ts';
import { adyenShape } from './adyen-shape.ts';
import { gatewayShape } from './gateway-shape.ts';
import { mollieShape } from './mollie-shape.ts';
import { paypalShape } from './paypal-shape.ts';
import type { Shape } from './shape.ts';
import { squareShape } from './square-shape.ts';

/** Each speaks below its own name: `/adyen/v72/…`, `/gateway/refunds`. */
export const shapeNamed = (name: ShapeName): Shape => {
  switch (name) {
    case 'adyen':
      return adyenShape;
    case 'paypal':
      return paypalShape;
    case 'mollie':
      return mollieShape;
    case 'square':
      return squareShape;
    case 'gateway':
      return gatewayShape;
  }
};

export const shapeAt = (name: string): Shape | undefined => {
  const known = (['adyen', 'paypal', 'mollie', 'square', 'gateway'] as const).find((one) => one === name);
  return known && shapeNamed(known);
};
