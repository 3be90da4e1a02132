// Answers of persons to items: two-parameter logistic, with ordered grades beside them.
data {
  int<lower=1> I;
  int<lower=1> J;
  array[I, J] int<lower=0, upper=1> right;
  array[J] int<lower=1, upper=4> grade;
}
parameters {
  vector<lower=0>[I] a;
  vector[I] b;
  vector[J] ability;
  ordered[3] cut;
}
model {
  a ~ lognormal(0, 0.5);
  b ~ normal(0, 2);
  ability ~ std_normal();
  cut ~ normal(0, 3);
  for (i in 1:I) right[i] ~ bernoulli_logit(a[i] * (ability - b[i]));
  grade ~ ordered_logistic(ability, cut);
}
