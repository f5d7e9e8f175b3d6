from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from askl.interop import SpectralKernel
from tests.models import classifier, regressor


@pytest.fixture(scope="module")
def fitted(classes):
    X, y = classes
    return classifier(max_epochs=20).fit(X[::2], y[::2])


def test_it_is_the_kernel_of_the_model(fitted, classes):
    X, _ = classes
    kernel = SpectralKernel(fitted)
    np.testing.assert_array_equal(kernel(X[:5], X[5:9]), fitted.kernel(X[:5], X[5:9]))
    np.testing.assert_allclose(kernel.diag(X[:5]), np.diag(kernel(X[:5])), rtol=1e-6)
    matrix, gradient = kernel(X[:5], eval_gradient=True)
    assert matrix.shape == (5, 5)
    assert gradient.shape == (5, 5, 0)


@pytest.mark.parametrize("make", [SpectralKernel, lambda model: model.kernel])
def test_a_support_vector_machine_takes_it(make, fitted, classes):
    X, y = classes
    machine = SVC(C=100.0, kernel=make(fitted)).fit(X[::2], y[::2])
    assert machine.score(X[1::2], y[1::2]) > 0.65


def test_a_grid_search_around_it_keeps_what_was_learned(fitted, classes):
    X, y = classes
    search = GridSearchCV(SVC(kernel=SpectralKernel(fitted)), {"C": [1.0, 100.0]}, cv=2)
    assert search.fit(X[::2], y[::2]).best_score_ > 0.8


def test_kernel_pca_takes_it(fitted, classes):
    X, _ = classes
    components = KernelPCA(2, kernel=SpectralKernel(fitted)).fit_transform(X)
    centred = fitted.kernel(X)
    centred = centred - centred.mean(axis=0) - centred.mean(axis=1)[:, None] + centred.mean()
    values = np.linalg.eigvalsh(centred)[::-1]
    np.testing.assert_allclose((components**2).sum(axis=0), values[:2], rtol=1e-5)


def test_a_gaussian_process_takes_it_beside_other_kernels(numbers):
    X, y = numbers
    model = regressor(max_epochs=30).fit(X[::2], y[::2])
    kernel = ConstantKernel(1.0) * SpectralKernel(model) + WhiteKernel(0.1)
    process = GaussianProcessRegressor(kernel, normalize_y=True).fit(X[::2], y[::2])
    assert process.score(X[1::2], y[1::2]) > 0.7
    assert process.kernel_.n_dims == 2  # the constant and the noise, nothing of ours


def test_a_gaussian_process_with_nothing_to_tune_is_ridge_regression(numbers):
    X, y = numbers
    model = regressor().fit(X, y)
    process = GaussianProcessRegressor(SpectralKernel(model), alpha=0.1).fit(X, y)
    ridge = KernelRidge(kernel=SpectralKernel(model), alpha=0.1).fit(X, y)
    np.testing.assert_allclose(process.predict(X[:9]), ridge.predict(X[:9]), rtol=1e-6)


def test_a_gaussian_process_classifier_takes_it():
    X, y = load_iris(return_X_y=True)
    kernel = ConstantKernel(30.0) * SpectralKernel(classifier().fit(X[::2], y[::2]))
    process = GaussianProcessClassifier(kernel, optimizer=None).fit(X[::2], y[::2])
    assert process.score(X[1::2], y[1::2]) > 0.9


def test_a_clone_keeps_the_learned_kernel(fitted, classes):
    X, _ = classes
    total = clone(SpectralKernel(fitted) + RBF())
    np.testing.assert_array_equal(total.k1(X[:3]), fitted.kernel(X[:3]))


def test_stationary_is_what_has_one_branch(classes):
    assert SpectralKernel(classifier("skl").fit(*classes)).is_stationary()
    assert not SpectralKernel(classifier("nskl").fit(*classes)).is_stationary()
    assert repr(SpectralKernel(classifier())) == "SpectralKernel(SpectralKernelClassifier)"


def test_a_model_must_be_fitted(classes):
    with pytest.raises(NotFittedError):
        SpectralKernel(classifier())(classes[0])
