// Attributes, written and found again.
// SPDX-License-Identifier: Apache-2.0
#include "attributes.hpp"

#include <cmath>

namespace mixwell::netcdf {

void Attributes::text(const char* name, const std::string& value) const {
  texts(name, {value.c_str()});
}

void Attributes::texts(const char* name, std::vector<const char*> values) const {
  check(nc_put_att_string(group_, variable_, name, values.size(), values.data()), name);
}

void Attributes::number(const char* name, double value) const {
  if (std::isnan(value)) return;
  check(nc_put_att_double(group_, variable_, name, NC_DOUBLE, 1, &value), name);
}

void Attributes::integer(const char* name, std::int64_t value) const {
  const long long number = value;
  check(nc_put_att_longlong(group_, variable_, name, NC_INT64, 1, &number), name);
}

std::string Attributes::text_in_file(const char* name) const {
  char* text = nullptr;
  find(nc_get_att_string(group_, variable_, name, &text), name);
  const std::string result = text != nullptr ? text : "";
  nc_free_string(1, &text);
  return result;
}

std::int64_t Attributes::integer_in_file(const char* name) const {
  long long number = 0;
  find(nc_get_att_longlong(group_, variable_, name, &number), name);
  return number;
}

void Attributes::check(int status, const char* name) const {
  file_.check(status, std::string("write the attribute '") + name + "'");
}

void Attributes::find(int status, const char* name) const {
  if (status != NC_NOERR) file_.refuse(std::string("it has no attribute '") + name + "'");
}

}  // namespace mixwell::netcdf
