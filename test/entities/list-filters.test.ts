import { p } from '@mikro-orm/core';
import { expect, test } from 'vitest';
import { ordersOf } from '../../entities/statements/order.ts';
import { taskFilters } from '../../entities/task/filters.ts';
import { taskListStatements } from '../../entities/task/list.ts';
import { vendorFilters, vendorListStatements } from '../../entities/vendor/list.ts';
import { NO_TASK_FILTERS, NO_VENDOR_FILTERS } from '../support/fixtures/filters.ts';

/** Filters that requests send, and that are parameters of the statements. */
const sentFilters = (parameters: object, shape: object) => Object.keys(parameters).filter((name) => name in shape);

test.each(sentFilters(NO_TASK_FILTERS, taskFilters.shape))(
  'the statement of tasks with a filter by %s has it',
  (name) => {
    const filters = { ...NO_TASK_FILTERS, [name]: 'sent' };
    const scope = { frameworks: null, activeOnly: false };
    const { count } = taskListStatements(filters, '-createdAt', scope);
    expect(count.values({}, { ...filters, ...scope })).toContain('sent');
  },
);

test.each(sentFilters(NO_VENDOR_FILTERS, vendorFilters.shape))(
  'the statement of vendors with a filter by %s has it',
  (name) => {
    const filters = { ...NO_VENDOR_FILTERS, [name]: 'sent' };
    expect(vendorListStatements(filters, 'name').count.values({}, filters)).toContain('sent');
  },
);

test('an order by a property that has no order is an error', () => {
  const properties = { nickname: p.string().nullable(), contacts: p.json<string[]>() };
  expect(() => ordersOf(properties, ['nickname'])).toThrow('nickname: expected a property that can be sorted');
  expect(() => ordersOf(properties, ['-contacts'])).toThrow('-contacts: expected a property that can be sorted');
});
